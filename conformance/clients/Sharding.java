import redis.clients.jedis.*;
import redis.clients.jedis.providers.ShardedConnectionProvider;
import redis.clients.jedis.util.Hashing;

import java.util.*;
import java.util.regex.Pattern;

/** The shards of JedisSharding, Jedis 4 to 6. */
class Main {
    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in, "UTF-8").useDelimiter("\n");
        List<byte[]> keys = Keys.read(in);
        while (in.hasNext()) {
            String[] ring = in.next().split("\t");
            List<HostAndPort> shards = new ArrayList<>();
            for (int i = 2; i < ring.length; i++) {
                shards.add(new HostAndPort("host", i));
            }
            Hashing hashing = ring[0].equals("md5") ? Hashing.MD5 : Hashing.MURMUR_HASH;
            Pattern tag = Keys.pattern(ring[1]);
            ShardedConnectionProvider provider =
                    new ShardedConnectionProvider(
                            shards, DefaultJedisClientConfig.builder().build(), hashing);
            StringBuilder line = new StringBuilder();
            for (byte[] key : keys) {
                String text = tag == null ? null : Keys.text(key);
                ShardedCommandArguments words =
                        new ShardedCommandArguments(hashing, tag, Protocol.Command.GET);
                words = (ShardedCommandArguments) words.key(text == null ? key : text);
                line.append(provider.getNode(words.getKeyHash()).getPort() - 2).append(' ');
            }
            System.out.println(line);
        }
    }
}
