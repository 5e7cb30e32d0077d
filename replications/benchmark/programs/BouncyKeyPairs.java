import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bouncycastle.crypto.AsymmetricCipherKeyPair;
import org.bouncycastle.crypto.generators.RSAKeyPairGenerator;
import org.bouncycastle.crypto.params.RSAKeyGenerationParameters;
import org.bouncycastle.crypto.prng.FixedSecureRandom;

/** Generates pairs of RSA keys from a fixed stream of bytes. */
final class BouncyKeyPairs {
    private static final int PAIRS = 15;

    public static void main(String[] args) throws Exception {
        List<AsymmetricCipherKeyPair> kept = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            byte[] bytes = new byte[10_000_000];
            new Random(i).nextBytes(bytes);
            var generator = new RSAKeyPairGenerator();
            generator.init(new RSAKeyGenerationParameters(
                    BigInteger.valueOf(65_537), new FixedSecureRandom(bytes), 1_024, 100));
            kept.add(generator.generateKeyPair());
        }
        Use.print(kept);
    }
}
