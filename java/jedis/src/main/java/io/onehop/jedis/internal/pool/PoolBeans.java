package io.onehop.jedis.internal.pool;

import io.onehop.jedis.internal.failure.NodeName;
import io.onehop.jedis.internal.failure.Shown;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The MBeans of the nodes of one client, which are registered as long as the client has the node.
 * For one thread at a time.
 */
public final class PoolBeans {
    private static final int SAME_MAX = 1000;
    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final PoolSettings settings;
    private final Map<Pool, @Nullable ObjectName> names = new HashMap<>();

    public PoolBeans(PoolSettings settings) {
        this.settings = settings;
    }

    /** Registers and removes MBeans, so that the client has these nodes from now on. */
    public void are(List<Pool> pools) {
        if (settings.beanBase().isEmpty()) {
            return;
        }
        Set<Pool> now = new HashSet<>(pools);
        // Nodes that are gone are removed first, so that their names are free again.
        for (Pool known : List.copyOf(names.keySet())) {
            if (!now.contains(known)) {
                unregister(names.remove(known));
            }
        }
        for (Pool pool : pools) {
            if (!names.containsKey(pool)) {
                names.put(pool, register(pool));
            }
        }
    }

    /**
     * Registers an MBean under the next free name, because another client may have the same node.
     */
    private @Nullable ObjectName register(Pool pool) {
        NodeName node = pool.endpoint().nodeName();
        String name = settings.beanPrefix() + "-" + node.pool().name() + "-" + node.node().name();
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName registered = null;
            for (int i = 1; registered == null && i <= SAME_MAX; i++) {
                registered = registered(server, pool, i == 1 ? name : name + "-" + i);
            }
            return registered;
        } catch (JMException | RuntimeException refused) {
            String why = Shown.of(refused.toString());
            LOG.log(Level.WARNING, "no MBean of " + node.label() + ": " + why);
            return null;
        }
    }

    private @Nullable ObjectName registered(MBeanServer server, Pool pool, String name)
            throws JMException {
        ObjectName whole = new ObjectName(settings.beanBase() + ObjectName.quote(name));
        try {
            server.registerMBean(new PoolBean(pool, settings), whole);
            return whole;
        } catch (InstanceAlreadyExistsException taken) {
            return null;
        }
    }

    private static void unregister(@Nullable ObjectName name) {
        try {
            if (name != null) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            }
        } catch (JMException | RuntimeException gone) {
            // Somebody else has removed the MBean.
        }
    }
}
