"""Commands of redis-stack's modules, in an order in which each finds its data.

A fleet has to answer them as one server does, alone and in a pipeline. Commands of TOGETHER, whose
keys have one hash tag, are also sent in a transaction. modules.php and Modules.java compare the
two. If a line begins with "~", its replies come in any order. A line with REFUSED in front is
refused with CrossNode.
"""

KEYS = " ".join(f"k{number}" for number in range(9))
DOCUMENTS = " ".join(f'k{number} $ {{"n":{number},"l":[{number}]}}' for number in range(9))

ALONE = f"""\
JSON.MSET {DOCUMENTS}
JSON.MGET {KEYS} $.n
JSON.MGET k8 missing k3 k3 k0 $
JSON.MSET k1 $.n 10 k2 $.n 20 k9 $ {{"n":9}}
JSON.MGET k9 k2 k1 $.n
JSON.MGET k1 k2 [
JSON.DEBUG MEMORY k1 $
JSON.DEL k1 $.l
JSON.FORGET k2 $.l
JSON.GET k1
TS.CREATE t1 LABELS kind cpu host a
TS.CREATE t2 LABELS kind cpu host b
TS.CREATE t3 LABELS kind disk host a
TS.MADD t1 1 1.5 t2 1 2.5 missing 1 1 t3 1 3 t1 2 4
TS.MADD t1 1 1.5 t2 x 2.5
TS.MADD t1 3 5 t2 3 6
TS.GET t2
TS.RANGE t1 - +
~TS.QUERYINDEX kind=cpu
~TS.QUERYINDEX kind=none
~TS.QUERYINDEX kind
~TS.MGET FILTER kind=cpu
~TS.MGET WITHLABELS FILTER host=a
~TS.MRANGE - + FILTER kind=cpu
~TS.MREVRANGE - + COUNT 1 FILTER kind=(cpu,disk)
REFUSED CMS.MERGE x1 9 {KEYS}
REFUSED TDIGEST.MERGE x1 9 {KEYS}
REFUSED TS.CREATERULE k0 k3 AGGREGATION avg 10
REFUSED TS.MRANGE - + FILTER kind=cpu GROUPBY host REDUCE sum
REFUSED FT.SEARCH products red
DEL {KEYS} k9 t1 t2 t3
"""

TOGETHER = """\
JSON.SET {t}j $ {"n":1,"s":"a","l":[1,2,3],"o":{"p":1},"b":true}
JSON.GET {t}j $..n
JSON.TYPE {t}j $.l
JSON.NUMINCRBY {t}j $.n 2
JSON.NUMMULTBY {t}j $.n 2
JSON.STRAPPEND {t}j $.s "b"
JSON.STRLEN {t}j $.s
JSON.ARRAPPEND {t}j $.l 4
JSON.ARRINDEX {t}j $.l 3
JSON.ARRINSERT {t}j $.l 0 9
JSON.ARRLEN {t}j $.l
JSON.ARRPOP {t}j $.l
JSON.ARRTRIM {t}j $.l 0 1
JSON.OBJKEYS {t}j $.o
JSON.OBJLEN {t}j $.o
JSON.TOGGLE {t}j $.b
JSON.MERGE {t}j $.o {"q":2}
JSON.RESP {t}j $.l
JSON.CLEAR {t}j $.o
JSON.GET {t}j
JSON.MGET {t}j {t}none $.n
JSON.MSET {t}j $.n 5 {t}i $ 1
JSON.DEL {t}j
BF.RESERVE {t}bf 0.01 100
BF.ADD {t}bf a
BF.MADD {t}bf a b
BF.EXISTS {t}bf a
BF.MEXISTS {t}bf a b c
BF.INSERT {t}bg CAPACITY 10 ITEMS x y
BF.CARD {t}bg
BF.INFO {t}bf
CF.RESERVE {t}cf 100
CF.ADD {t}cf a
CF.ADDNX {t}cf a
CF.INSERT {t}cf ITEMS b c
CF.INSERTNX {t}cf ITEMS b d
CF.COUNT {t}cf a
CF.EXISTS {t}cf a
CF.MEXISTS {t}cf a z
CF.DEL {t}cf a
CF.COMPACT {t}cf
CF.INFO {t}cf
CMS.INITBYDIM {t}c1 100 5
CMS.INITBYPROB {t}c2 0.01 0.01
CMS.INITBYDIM {t}c3 100 5
CMS.INCRBY {t}c1 a 3 b 1
CMS.MERGE {t}c3 1 {t}c1 WEIGHTS 2
CMS.QUERY {t}c3 a b
CMS.INFO {t}c3
TOPK.RESERVE {t}top 3
TOPK.ADD {t}top a b c
TOPK.INCRBY {t}top a 4
TOPK.QUERY {t}top a z
TOPK.COUNT {t}top a
TOPK.LIST {t}top
TOPK.INFO {t}top
TDIGEST.CREATE {t}d1
TDIGEST.CREATE {t}d2
TDIGEST.ADD {t}d1 1 2 3
TDIGEST.MERGE {t}d2 1 {t}d1
TDIGEST.MIN {t}d2
TDIGEST.MAX {t}d2
TDIGEST.CDF {t}d2 2
TDIGEST.QUANTILE {t}d2 0.5
TDIGEST.RANK {t}d2 2
TDIGEST.REVRANK {t}d2 2
TDIGEST.BYRANK {t}d2 1
TDIGEST.BYREVRANK {t}d2 1
TDIGEST.TRIMMED_MEAN {t}d2 0 1
TDIGEST.INFO {t}d2
TDIGEST.RESET {t}d2
TS.CREATE {t}s1
TS.CREATE {t}s2
TS.CREATERULE {t}s1 {t}s2 AGGREGATION avg 10
TS.ADD {t}s1 1 1
TS.ADD {t}s1 11 2
TS.MADD {t}s1 21 3 {t}s2 1 1
TS.INCRBY {t}s1 1 TIMESTAMP 31
TS.DECRBY {t}s1 1 TIMESTAMP 41
TS.ALTER {t}s1 LABELS a b
TS.GET {t}s1
TS.RANGE {t}s2 - +
TS.REVRANGE {t}s1 - + COUNT 2
TS.DELETERULE {t}s1 {t}s2
TS.DEL {t}s1 1 11
TS.INFO {t}s1
FT.SUGADD {t}sug hello 1
FT.SUGADD {t}sug help 2
FT.SUGGET {t}sug he
FT.SUGLEN {t}sug
FT.SUGDEL {t}sug help
"""


def rounds():
    """How the commands are sent, and the lines: see modules.php."""
    yield "alone", ALONE + TOGETHER
    yield (
        "pipeline",
        "".join(
            line
            for line in (ALONE + TOGETHER).splitlines(keepends=True)
            if not line.startswith("REFUSED")
        ),
    )
    yield "multi", TOGETHER
