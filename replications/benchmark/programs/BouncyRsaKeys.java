import java.math.BigInteger;
import java.util.Random;
import org.bouncycastle.crypto.params.RSAKeyParameters;

/** Makes the public keys of many RSA moduli, as an application that loads a store of certificates does. */
final class BouncyRsaKeys {
    private static final int KEYS = 264;

    public static void main(String[] args) throws Exception {
        var random = new Random(7);
        var exponent = BigInteger.valueOf(65_537);
        var primes = new BigInteger[12];
        for (int i = 0; i < primes.length; i++) {
            primes[i] = BigInteger.probablePrime(1_024, random);
        }
        long bits = 0;
        for (int i = 0; i < KEYS; i++) {
            var modulus = primes[i % primes.length].multiply(primes[(i / primes.length + i + 1) % primes.length]);
            bits += new RSAKeyParameters(false, modulus, exponent).getModulus().bitLength();
        }
        System.out.println(bits);
        Use.print();
    }
}
