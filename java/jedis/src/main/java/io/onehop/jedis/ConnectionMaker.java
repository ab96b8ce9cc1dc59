package io.onehop.jedis;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;

/**
 * What Commons Pool knows of our connections: how to make one that is not open yet, and whether one may be leased.
 *
 * <p>It makes some in advance, as it sees fit; so those that were opened and kept are counted here. Any thread.
 */
final class ConnectionMaker extends BasePooledObjectFactory<NodeConnection> {
    private final Endpoint endpoint;
    private final Greeting greeting;
    private final AtomicInteger kept = new AtomicInteger();

    ConnectionMaker(Endpoint endpoint, Greeting greeting) {
        this.endpoint = endpoint;
        this.greeting = greeting;
    }

    @Override
    public NodeConnection create() {
        return new NodeConnection(endpoint, greeting);
    }

    @Override
    public PooledObject<NodeConnection> wrap(NodeConnection connection) {
        return new DefaultPooledObject<>(connection);
    }

    @Override
    public boolean validateObject(PooledObject<NodeConnection> pooled) {
        return pooled.getObject().isUsable();
    }

    @Override
    public void destroyObject(PooledObject<NodeConnection> pooled) {
        drop(pooled.getObject());
    }

    /** It is closed. */
    void drop(NodeConnection connection) {
        connection.disconnect();
        if (connection.lease().keep(false)) {
            kept.decrementAndGet();
        }
    }

    /** It goes back open. */
    void keep(NodeConnection connection) {
        if (connection.lease().keep(true)) {
            kept.incrementAndGet();
        }
    }

    /** How many there are that went back open, and were not closed since. */
    int kept() {
        return kept.get();
    }
}
