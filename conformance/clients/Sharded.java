import redis.clients.PACKAGE.Hashing;
import redis.clients.PACKAGE.Sharded;
import redis.clients.jedis.*;

import java.util.*;
import java.util.regex.Pattern;

/** The shards of ShardedJedis. PACKAGE is `util` in Jedis 2 and `jedis.util` in Jedis 3. */
class Main {
    static class Info extends JedisShardInfo {
        final int index;

        Info(int index, String host, int port, String name, int weight) {
            super(host, port, 2000, 2000, weight);
            this.index = index;
            this.name = name;
        }

        private final String name;

        @Override
        public String getName() {
            return name;
        }

        @Override
        public Jedis createResource() {
            return null; // Nothing is connected.
        }
    }

    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in, "UTF-8").useDelimiter("\n");
        List<byte[]> keys = Keys.read(in);
        while (in.hasNext()) {
            String[] ring = in.next().split("\t");
            List<Info> shards = new ArrayList<>();
            for (int i = 2; i < ring.length; i++) {
                String[] server = ring[i].split(" ");
                String name = server[1].equals("-") ? null : server[1];
                shards.add(
                        new Info(
                                shards.size(), server[0], 6379, name, Integer.parseInt(server[2])));
            }
            Hashing hashing = ring[0].equals("md5") ? Hashing.MD5 : Hashing.MURMUR_HASH;
            Pattern tag = Keys.pattern(ring[1]);
            Sharded<Jedis, Info> sharded = new Sharded<>(shards, hashing, tag);
            StringBuilder line = new StringBuilder();
            for (byte[] key : keys) {
                String text = tag == null ? null : Keys.text(key);
                Info info = text == null ? sharded.getShardInfo(key) : sharded.getShardInfo(text);
                line.append(info.index).append(' ');
            }
            System.out.println(line);
        }
    }
}
