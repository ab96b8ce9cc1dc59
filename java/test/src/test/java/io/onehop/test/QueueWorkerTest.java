package io.onehop.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ListDirection;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A worker that takes jobs from a list, while the master of the list dies. No job is lost. */
class QueueWorkerTest {
    private static final String TODO = "{mails}:todo";
    private static final String DOING = "{mails}:doing";

    private final Set<String> done = new TreeSet<>();

    @Test
    void jobsSurviveTheMasterThatSentinelsWatch() {
        try (OneHopServers servers =
                OneHopServers.sentinels(1, "timeout: 30000", "hash_tag: \"{}\"")) {
            workThroughAFailover(servers);
        }
    }

    @Test
    void jobsSurviveTheMasterOfARedisCluster() {
        try (OneHopServers servers = OneHopServers.cluster(2, "timeout: 30000")) {
            workThroughAFailover(servers);
        }
    }

    private void workThroughAFailover(OneHopServers servers) {
        OneHopClient redis = servers.client();
        Set<String> jobs =
                IntStream.range(0, 20).mapToObj(i -> "job " + i).collect(Collectors.toSet());
        jobs.forEach(job -> redis.lpush(TODO, job));
        try (Jedis master = servers.serverOf(TODO).jedis()) {
            // Jobs that the replica does not have yet would be lost with the master.
            master.waitReplicas(1, 30_000);
        }

        work(redis, 5);
        servers.failOver(TODO);
        do {
            work(redis, 20);
        } while (isSomethingLeft(redis));

        assertEquals(new TreeSet<>(jobs), done);
    }

    /** Does some jobs. While it does a job, the job is in the list DOING. */
    private void work(OneHopClient redis, int most) {
        for (int i = 0; i < most; i++) {
            try {
                String job = redis.lmove(TODO, DOING, ListDirection.RIGHT, ListDirection.LEFT);
                if (job == null) {
                    // An error may have left jobs in DOING.
                    redis.lmove(DOING, TODO, ListDirection.RIGHT, ListDirection.LEFT);
                } else {
                    done.add(job);
                    redis.lrem(DOING, 1, job);
                }
            } catch (OneHopException failure) {
                // The job is still in one of the lists. At worst it is done twice.
            }
        }
    }

    private static boolean isSomethingLeft(OneHopClient redis) {
        try {
            return redis.exists(TODO, DOING) > 0;
        } catch (OneHopException failure) {
            return true;
        }
    }
}
