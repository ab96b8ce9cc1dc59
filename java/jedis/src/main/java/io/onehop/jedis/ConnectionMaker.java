package io.onehop.jedis;

import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;

/** What Commons Pool knows of our connections: how to make one that is not open yet, and whether one may be leased. */
final class ConnectionMaker extends BasePooledObjectFactory<NodeConnection> {
    private final Endpoint endpoint;
    private final Greeting greeting;

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
        pooled.getObject().disconnect();
    }
}
