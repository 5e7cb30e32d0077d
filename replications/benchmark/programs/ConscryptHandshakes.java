import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.conscrypt.OpenSSLProvider;

/** Shakes hands and closes again and again in memory, as a web server does with clients that come once. */
final class ConscryptHandshakes {
    private static final int HANDSHAKES = 2_000;
    private static final char[] PASSWORD = "secret".toCharArray();
    private static final String KEYS = ""
            + "MIID1gIBAzCCA4AGCSqGSIb3DQEHAaCCA3EEggNtMIIDaTCCASAGCSqGSIb3DQEHAaCCAREEggENMIIBCTCCAQUGCyqGSIb3DQEM"
            + "CgECoIG9MIG6MGYGCSqGSIb3DQEFDTBZMDgGCSqGSIb3DQEFDDArBBQu+tNGcHhc3QkG2RgCQcZGRiMQ6wICJxACASAwDAYIKoZI"
            + "hvcNAgkFADAdBglghkgBZQMEASoEEFFdwKBa1d1S+cRQ09XR/xQEUB1ZmZTIsPv1dFI8sOJMuqe2Ty8FNzFe0fZt6jCkJwCJWHuS"
            + "PmhV/sm40XbU0vk+mKWdf88Q1pF0nhTC+azeX3WH1+o27aXwpVit05txyBsoMTYwEQYJKoZIhvcNAQkUMQQeAgBhMCEGCSqGSIb3"
            + "DQEJFTEUBBJUaW1lIDE3OTU3ODU5MDI0NDQwggJBBgkqhkiG9w0BBwagggIyMIICLgIBADCCAicGCSqGSIb3DQEHATBmBgkqhkiG"
            + "9w0BBQ0wWTA4BgkqhkiG9w0BBQwwKwQUGzznqZjakqBIOKyDyRS6W9kqUQ0CAicQAgEgMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUD"
            + "BAEqBBB6py6VEqhEz16r/FLfjBTWgIIBsAuTsP8WSTPhCgJttu8c22+enOycIKc1LSBJVKOhZA2Qk4FN1DmVpjXmZ7c7n/7PVl+f"
            + "xor59DbtuzYwgdGbvQ0DrK/rkcgsj9exbl3ZWbJUSIJHB04bnCfmZ4+zbBRmYKk27CjZ2T3I2IGkzDrZ53bCgPV5KngyyjqunxU9"
            + "1vTMCx7LcmPS5V5GnK820hSnnzb1DJUU7MeVOApEdTqrT+qlsjG/8rQ2Olz2wNnZb8g+isSQFlfu3I5kjDd3IMTWppjGySpBtYVp"
            + "BvZKEcc3xhGnl/yuMnRAMXBMNSth6QbK1OXPewoOaKDD6vJ2MuzVRctRtum2K6R/OPbVY0FKCWHLd4xMGPJPQJhZCzdPnP+7y9za"
            + "1IJs0Dbh1vnZuNPhn4+Dpy05R2zblWJwR7nYAVgXgrkwN27JodEtWki0aQHUt3jCbsTBVnzWiu9J4P5UEqOVkMT4NZpN6TxpToLf"
            + "DWNeOVgK944CfQl+mvFC0I4Olp1FbnLGufz0Cpc+ioxPoydbdEdeaKp4ZpqsTrwPTwKWs9rRd6ayNusLUDIGUNIr1HXJhMNgWiqu"
            + "rBZTmTqCyjBNMDEwDQYJYIZIAWUDBAIBBQAEIPA0oBvWi/dC9QsUFGdwXS4L/5l5sOVOzJkrxPQBYC/7BBTOWixJ7QnvV9NXB93O"
            + "pYDm6H44gAICJxA=";

    public static void main(String[] args) throws Exception {
        var keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(Base64.getDecoder().decode(KEYS)), PASSWORD);
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD);
        var context = SSLContext.getInstance("TLSv1.2", new OpenSSLProvider());
        context.init(factory.getKeyManagers(), new TrustManager[] {new Trusting()}, null);
        for (int i = 0; i < HANDSHAKES; i++) {
            SSLEngine server = context.createSSLEngine();
            server.setUseClientMode(false);
            SSLEngine client = context.createSSLEngine();
            client.setUseClientMode(true);
            shake(client, server);
            for (SSLEngine engine : new SSLEngine[] {client, server}) {
                engine.closeOutbound();
                engine.closeInbound();
            }
        }
        Use.print(context);
    }

    private static void shake(SSLEngine client, SSLEngine server) throws Exception {
        var toServer = ByteBuffer.allocate(1 << 16);
        var toClient = ByteBuffer.allocate(1 << 16);
        client.beginHandshake();
        server.beginHandshake();
        do {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
        } while (shakes(client) || shakes(server));
    }

    private static boolean shakes(SSLEngine engine) {
        HandshakeStatus status = engine.getHandshakeStatus();
        return status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED;
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws Exception {
        var nothing = ByteBuffer.allocate(0);
        var text = ByteBuffer.allocate(1 << 16);
        for (int i = 0; i < 8 && shakes(engine); i++) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> engine.wrap(nothing, out);
                default -> {
                    in.flip();
                    engine.unwrap(in, text);
                    in.compact();
                }
            }
        }
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
