package live.driver;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DriverTest {
    @Test
    void whatIsWrittenIsReadAgain() {
        assertTrue(Driver.work(20) > 0);
    }
}
