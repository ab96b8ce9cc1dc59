"""How often php-fpm workers ask the nodes for the map: OneHop next to phpredis."""

import os
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from built import EXTENSION
from clusters import configure, fill, questions, seeds
from figures import Figure
from lab.cluster import Cluster
from lab.fpm import Fpm
from statistic import median

HERE = os.path.dirname(os.path.abspath(__file__))


def run(is_short):
    """Contestants take turns, so other load meets all. phpredis connects every worker itself."""
    requests, workers, turns = (400, 8, 4) if is_short else (4000, 24, 20)
    with Cluster(3) as cluster, ExitStack() as stack:

        def onehop(pool_size):
            own = stack.enter_context(tempfile.TemporaryDirectory())
            return "onehop", {
                "extension": EXTENSION,
                "onehop.config": configure(cluster, own, pool_size=pool_size),
            }

        fill(cluster, 1000, '$r->set("key:$j", "value of key:$j");')
        contestants = {
            "OneHop": onehop(workers),
            "OneHop, connections for two of three workers": onehop(workers * 2 // 3),
            "phpredis RedisCluster": ("phpredis", {}),
            "phpredis RedisCluster, cache_slots": ("phpredis", {"redis.clusters.cache_slots": 1}),
        }
        callers = stack.enter_context(ThreadPoolExecutor(workers))
        fpms = {
            label: stack.enter_context(Fpm(workers=workers, settings=settings))
            for label, (_, settings) in contestants.items()
        }
        asked, rates = dict.fromkeys(contestants, 0), {label: [] for label in contestants}
        for turn in range(turns):
            for label, (client, _) in random.sample(list(contestants.items()), len(contestants)):
                before, begun, count = questions(cluster), time.monotonic(), requests // turns
                answers = list(
                    callers.map(
                        lambda seed: fpms[label].request(
                            os.path.join(HERE, "page.php"),
                            seconds=60,
                            query=f"client={client}&seed={seed}&seeds={seeds(cluster)}",
                        ),
                        range(turn * count, (turn + 1) * count),
                    )
                )
                rates[label].append(count / (time.monotonic() - begun))
                asked[label] += questions(cluster) - before
                wrong = [body for _, body in answers if body != b"0"]
                if wrong:
                    raise SystemExit(f"{label}: {len(wrong)} pages were wrong, such as {wrong[0]}")
        for label in contestants:
            print(
                f"  {label}: {asked[label]} topology queries for {requests} requests of {workers} "
                f"workers, {median(rates[label]):.0f} pages/s"
            )
        return [
            Figure(f"{label}: topology queries", asked[label], 12, is_hard=True)
            for label, (client, _) in contestants.items()
            if client == "onehop"
        ]
