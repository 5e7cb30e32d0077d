package buto.store.order;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("component")
class VouchersTest {
    private static final Vouchers VOUCHERS = new Vouchers();
    private static final int WARM_UP = 300;
    private static final int TIMES = 1000;

    @BeforeAll
    static void warmUp() {
        discount(WARM_UP);
    }

    @Test
    void discount() {
        int mean = discount(TIMES) / TIMES;
        assertTrue(mean >= 100 && mean < 200, () -> "a voucher must be worth one to two units, got " + mean);
    }

    private static int discount(int times) {
        int sum = 0;
        for (int time = 0; time < times; time++) {
            sum += VOUCHERS.discount("v" + time);
        }
        return sum;
    }
}
