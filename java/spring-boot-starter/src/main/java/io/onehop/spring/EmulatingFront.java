package io.onehop.spring;

import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopFront;

import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;
import redis.clients.jedis.resps.Tuple;
import redis.clients.jedis.util.SafeEncoder;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The client as Spring's connection calls it outside pipelines and transactions. Spring calls the
 * methods of cursors outside its own translation of failures, and asks one node for scripts that
 * are on all. Any thread.
 */
final class EmulatingFront extends OneHopFront {

    EmulatingFront(OneHopClient client) {
        super(client);
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
}
