import java.util.concurrent.CountDownLatch;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.LookupOverride;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Calls an injected method of a bean in several threads at once. */
final class SpringLookups {
    private static final int THREADS = 8;
    private static final int CALLS = 500_000;

    /** Has no state. */
    public static class Basket {}

    /** Has a method that Spring implements. */
    public static class Shop {
        public Basket basket() {
            return null;
        }
    }

    public static void main(String[] args) throws Exception {
        var factory = new DefaultListableBeanFactory();
        factory.registerBeanDefinition("basket", new RootBeanDefinition(Basket.class));
        var definition = new RootBeanDefinition(Shop.class);
        definition.getMethodOverrides().addOverride(new LookupOverride("basket", "basket"));
        factory.registerBeanDefinition("shop", definition);
        Shop shop = factory.getBean(Shop.class);
        var done = new CountDownLatch(THREADS);
        var end = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            var worker = new Thread(() -> {
                for (int n = 0; n < CALLS; n++) {
                    shop.basket();
                }
                done.countDown();
                awaiting(end);
            });
            worker.setDaemon(true);
            worker.start();
        }
        done.await();
        Use.print(factory);
    }

    private static void awaiting(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
