"""Who takes part in bench/jobs.py: one line per contestant.

    name    language.contestant, as in the result
    kind    which of the kinds of workers.py the worker of that language makes
    at      the place of the stage where it connects (places.py)
    label   its name in tables and pictures
    setup   how it is set up, as its documentation recommends
    only    the jobs in which it takes part; without this word, all

Contestants whose place starts with "tls" are compared with the OneHop that also encrypts. Those
whose place starts with "cluster" are compared with the floor and the OneHop of a Redis Cluster,
because their keys are elsewhere and the keys of one command must be in one slot. Contestants at
"own" place keys by rules of their own. These contestants and those at "one" write their strings
themselves.
"""

from collections import namedtuple

LANGUAGES = {"c": "C", "php": "PHP", "java": "Java"}
PROGRAMS = {
    "lettuce": "Java, rivals",
    "redisson": "Java, rivals",
    "spring": "Java, rivals",
    "sharding": "Java, sharding",
}
BATCHES = ("get", "set", "pipeline", "mget", "mset", "del")
VALUES = ("values.get", "values.set", "values.mget")
THREADS = ("threads.get", "threads.pipeline")
DELAYS = ("delay.get", "delay.pipeline", "delay.mget")
ALONE = BATCHES + VALUES + DELAYS + THREADS


class Contestant(namedtuple("Contestant", "name kind at label setup only", defaults=(None,))):
    @property
    def language(self):
        return LANGUAGES[self.name.split(".")[0]]

    @property
    def program(self):
        """The name of the command in workers.py that runs this contestant."""
        return PROGRAMS.get(self.kind.split("-")[0], self.language)

    @property
    def is_on_cluster(self):
        return self.at.startswith("cluster")

    @property
    def writes(self):
        """True if this contestant writes the strings that it reads, because no other one does."""
        return self.language == "C" or self.at in ("own", "one")

    @property
    def floor(self):
        return "c.cluster" if self.is_on_cluster else "c.floor"

    @property
    def onehop(self):
        """The OneHop of its language and servers; None for C."""
        if self.language == "C":
            return None
        kind = ".cluster" if self.is_on_cluster else ".tls" if self.at.startswith("tls") else ""
        return f"{self.name.split('.')[0]}.onehop{kind}"

    def takes_part(self, job):
        if job in THREADS and self.language != "Java":
            return False
        return self.only is None or job in self.only


C = Contestant
CONTESTANTS = (
    C("c.floor", "scatter", "nodes", "C, floor", "raw sockets, knows the node of each key"),
    C("c.cluster", "slots", "cluster", "C, cluster's floor", "as above, one command per key"),
    C("php.onehop", "onehop", "pool", "OneHop", "the nutcracker.yml of the nodes"),
    C("php.onehop.cluster", "onehop", "cluster_pool", "OneHop, Redis Cluster", "cluster: true"),
    C(
        "php.phpredis",
        "sequential",
        "nodes",
        "phpredis, node after node",
        "connect(), keys grouped",
    ),
    C("php.onehop.tls", "onehop", "tls_pool", "OneHop, TLS", "tls: true", ("pipeline",)),
    C(
        "php.phpredis.tls",
        "encrypted",
        "tls_nodes",
        "phpredis, TLS, node after node",
        "tls://, keys grouped",
        ("pipeline",),
    ),
    C("php.one", "pipeline", "one", "phpredis, one node", "no shards", ALONE),
    C("php.pconnect", "persistent", "nodes", "phpredis, pconnect", "pconnect()", ("cold",)),
    C("php.array", "array", "own", "RedisArray", "lazy_connect, consistent, pipeline per node"),
    C("php.cluster", "cluster", "cluster", "RedisCluster", "no pipelines, not persistent"),
    C("php.cached", "cached", "cluster", "RedisCluster, cache_slots", "persistent, cache_slots"),
    C("php.predis", "predis", "own", "Predis", "its own sharding, single commands in pipelines"),
    C("php.predis.cluster", "predis-cluster", "cluster", "Predis, Redis Cluster", "cluster: redis"),
    C("php.proxy.1", "pipeline", "proxy_1", "nutcracker, 1 connection", "server_connections: 1"),
    C("php.proxy.15", "pipeline", "proxy_15", "nutcracker, 15", "server_connections: 15"),
    C("php.proxy.mbuf", "pipeline", "proxy_mbuf", "nutcracker, small mbufs", "15, --mbuf-size 512"),
    C("php.proxies.1", "turns", "proxies_1", "4 nutcrackers, 1 each", "in turns", BATCHES),
    C("php.proxies.15", "turns", "proxies_15", "4 nutcrackers, 15 each", "in turns", BATCHES),
    C("java.onehop", "onehop", "pool", "OneHop", "the nutcracker.yml of the nodes"),
    C("java.onehop.cluster", "onehop", "cluster_pool", "OneHop, Redis Cluster", "cluster: true"),
    C("java.onehop.tls", "onehop", "tls_pool", "OneHop, TLS", "tls: true", ("pipeline",)),
    C(
        "java.jedis.tls",
        "encrypted",
        "tls_nodes",
        "Jedis, TLS, node after node",
        "ssl(true), keys grouped",
        ("pipeline",),
    ),
    C("java.one", "pipeline", "one", "Jedis, one node", "no shards", ALONE),
    C("java.cluster", "cluster", "cluster", "RedisClusterClient", "Jedis 8"),
    C(
        "java.sharding",
        "sharding",
        "own",
        "JedisSharding",
        "Jedis 6.2; MGET, MSET, DEL as pipelines",
    ),
    C("java.lettuce", "lettuce", "one", "Lettuce, one node", "async", ALONE),
    C("java.lettuce.cluster", "lettuce-cluster", "cluster", "Lettuce, Redis Cluster", "async"),
    C("java.redisson", "redisson", "one", "Redisson, one node", "RBatch", BATCHES + THREADS),
    C("java.redisson.cluster", "redisson-cluster", "cluster", "Redisson, Redis Cluster", "RBatch"),
    C(
        "java.spring",
        "spring-onehop",
        "pool",
        "Spring on OneHop",
        "executePipelined",
        ("pipeline",),
    ),
    C(
        "java.spring.cluster",
        "spring-onehop",
        "cluster_pool",
        "Spring on OneHop, Redis Cluster",
        "executePipelined",
        ("pipeline",),
    ),
    C(
        "java.spring.lettuce",
        "spring-lettuce-cluster",
        "cluster",
        "Spring on Lettuce, Redis Cluster",
        "executePipelined",
        ("pipeline",),
    ),
    C("java.proxy.1", "pipeline", "proxy_1", "Jedis, nutcracker, 1", "server_connections: 1"),
    C("java.proxy.15", "pipeline", "proxy_15", "Jedis, nutcracker, 15", "server_connections: 15"),
    C("java.proxy.mbuf", "pipeline", "proxy_mbuf", "Jedis, small mbufs", "15, --mbuf-size 512"),
)
BY_NAME = {contestant.name: contestant for contestant in CONTESTANTS}
