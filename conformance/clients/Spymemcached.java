import net.spy.memcached.*;
import net.spy.memcached.util.DefaultKetamaNodeLocatorConfiguration;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.*;

/** The nodes of spymemcached's KetamaNodeLocator. Its keys are texts; other keys have no place. */
class Main {
    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in, "UTF-8").useDelimiter("\n");
        List<byte[]> keys = Keys.read(in);
        while (in.hasNext()) {
            String[] ring = in.next().split("\t");
            List<MemcachedNode> nodes = new ArrayList<>();
            Map<InetSocketAddress, Integer> weights = new HashMap<>();
            boolean isWeighted = false;
            for (int i = 2; i < ring.length; i++) {
                String[] server = ring[i].split(" ");
                int colon = server[0].lastIndexOf(':');
                InetSocketAddress address =
                        new InetSocketAddress(
                                server[0].substring(0, colon),
                                Integer.parseInt(server[0].substring(colon + 1)));
                weights.put(address, Integer.parseInt(server[2]));
                isWeighted |= weights.get(address) != 1;
                nodes.add(node(address));
            }
            KetamaNodeLocator locator =
                    isWeighted
                            ? new KetamaNodeLocator(
                                    nodes,
                                    DefaultHashAlgorithm.KETAMA_HASH,
                                    weights,
                                    new DefaultKetamaNodeLocatorConfiguration())
                            : new KetamaNodeLocator(nodes, DefaultHashAlgorithm.KETAMA_HASH);
            StringBuilder line = new StringBuilder();
            for (byte[] key : keys) {
                String text = Keys.text(key);
                line.append(text == null ? -1 : nodes.indexOf(locator.getPrimary(text)))
                        .append(' ');
            }
            System.out.println(line);
        }
    }

    private static MemcachedNode node(InetSocketAddress address) {
        return (MemcachedNode)
                Proxy.newProxyInstance(
                        Main.class.getClassLoader(),
                        new Class<?>[] {MemcachedNode.class},
                        (self, method, words) ->
                                switch (method.getName()) {
                                    case "getSocketAddress" -> address;
                                    case "equals" -> self == words[0];
                                    case "hashCode" -> System.identityHashCode(self);
                                    default -> address.toString();
                                });
    }
}
