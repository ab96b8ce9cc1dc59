package io.onehop.spring;

import io.onehop.jedis.CrossNode;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopFront;

import redis.clients.jedis.args.ListDirection;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;
import redis.clients.jedis.resps.Tuple;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The client as Spring's connection calls it outside pipelines and transactions. Some commands may
 * have keys of two nodes here. Failures of cursors are translated here, because Spring does not
 * translate them. Scripts are on all nodes, but Spring would ask only one node for them. Any thread
 * may use this class.
 */
final class EmulatingFront extends OneHopFront {
    private final Emulation emulation;

    EmulatingFront(OneHopClient client) {
        super(client);
        this.emulation = new Emulation(client);
    }

    /* ---- Cursors ---- */

    @Override
    public ScanResult<byte[]> scan(byte[] cursor, ScanParams params) {
        return Translation.of(() -> super.scan(cursor, params));
    }

    @Override
    public ScanResult<byte[]> scan(byte[] cursor, ScanParams params, byte[] type) {
        return Translation.of(() -> super.scan(cursor, params, type));
    }

    @Override
    public ScanResult<Map.Entry<byte[], byte[]>> hscan(
            byte[] key, byte[] cursor, ScanParams params) {
        return Translation.of(() -> super.hscan(key, cursor, params));
    }

    @Override
    public ScanResult<byte[]> sscan(byte[] key, byte[] cursor, ScanParams params) {
        return Translation.of(() -> super.sscan(key, cursor, params));
    }

    @Override
    public ScanResult<Tuple> zscan(byte[] key, byte[] cursor, ScanParams params) {
        return Translation.of(() -> super.zscan(key, cursor, params));
    }

    /* ---- Scripts: Spring's sample key would choose one node ---- */

    @Override
    public byte[] scriptLoad(byte[] script, byte[] sampleKey) {
        return SafeEncoder.encode(scriptLoad(SafeEncoder.encode(script)));
    }

    @Override
    public List<Boolean> scriptExists(byte[] sampleKey, byte[]... digests) {
        return scriptExists(Arrays.stream(digests).map(SafeEncoder::encode).toList());
    }

    @Override
    public String scriptFlush(byte[] sampleKey) {
        return scriptFlush();
    }

    @Override
    public String scriptKill(byte[] sampleKey) {
        return scriptKill();
    }

    /* ---- Keys of two nodes: a refusal comes before a byte is sent, so it costs little ---- */

    private static <T> T onOneNode(Supplier<T> command, Supplier<T> emulated) {
        try {
            return command.get();
        } catch (CrossNode apart) {
            return emulated.get();
        }
    }

    @Override
    public String rename(byte[] from, byte[] to) {
        return onOneNode(() -> super.rename(from, to), () -> emulation.rename(from, to));
    }

    @Override
    public long renamenx(byte[] from, byte[] to) {
        return onOneNode(() -> super.renamenx(from, to), () -> emulation.renamenx(from, to));
    }

    @Override
    public long smove(byte[] from, byte[] to, byte[] member) {
        return onOneNode(
                () -> super.smove(from, to, member), () -> emulation.smove(from, to, member));
    }

    @Override
    @SuppressWarnings("deprecation") // Spring calls this method.
    public byte[] rpoplpush(byte[] from, byte[] to) {
        return onOneNode(
                () -> super.rpoplpush(from, to),
                () -> emulation.lmove(from, to, ListDirection.RIGHT, ListDirection.LEFT));
    }

    @Override
    @SuppressWarnings("deprecation") // Spring calls this method.
    public byte[] brpoplpush(byte[] from, byte[] to, int seconds) {
        return onOneNode(
                () -> super.brpoplpush(from, to, seconds),
                () -> emulation.blmove(from, to, ListDirection.RIGHT, ListDirection.LEFT, seconds));
    }

    @Override
    public byte[] lmove(byte[] from, byte[] to, ListDirection pop, ListDirection push) {
        return onOneNode(
                () -> super.lmove(from, to, pop, push), () -> emulation.lmove(from, to, pop, push));
    }

    @Override
    public byte[] blmove(
            byte[] from, byte[] to, ListDirection pop, ListDirection push, double seconds) {
        return onOneNode(
                () -> super.blmove(from, to, pop, push, seconds),
                () -> emulation.blmove(from, to, pop, push, seconds));
    }

    @Override
    public Set<byte[]> sinter(byte[]... keys) {
        return onOneNode(() -> super.sinter(keys), () -> emulation.sinter(keys));
    }

    @Override
    public Set<byte[]> sunion(byte[]... keys) {
        return onOneNode(() -> super.sunion(keys), () -> emulation.sunion(keys));
    }

    @Override
    public Set<byte[]> sdiff(byte[]... keys) {
        return onOneNode(() -> super.sdiff(keys), () -> emulation.sdiff(keys));
    }

    @Override
    public long sinterstore(byte[] target, byte[]... keys) {
        return onOneNode(
                () -> super.sinterstore(target, keys),
                () -> emulation.store(target, () -> sinter(keys)));
    }

    @Override
    public long sunionstore(byte[] target, byte[]... keys) {
        return onOneNode(
                () -> super.sunionstore(target, keys),
                () -> emulation.store(target, () -> sunion(keys)));
    }

    @Override
    public long sdiffstore(byte[] target, byte[]... keys) {
        return onOneNode(
                () -> super.sdiffstore(target, keys),
                () -> emulation.store(target, () -> sdiff(keys)));
    }
}
