import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/** Opens and closes many pools, while one stays open. */
final class PoolCancelled {
    private static final int POOLS = 2500;

    public static void main(String[] args) throws Exception {
        GenericObjectPool<Object> first = pool();
        for (int i = 0; i < POOLS; i++) {
            GenericObjectPool<Object> pool = pool();
            pool.returnObject(pool.borrowObject());
            pool.close();
        }
        Use.print(first);
        first.close();
    }

    private static GenericObjectPool<Object> pool() {
        GenericObjectPool<Object> pool = new GenericObjectPool<>(new Factory());
        pool.setTimeBetweenEvictionRunsMillis(600_000);
        return pool;
    }

    private static final class Factory extends BasePooledObjectFactory<Object> {
        @Override
        public Object create() {
            return new Object();
        }

        @Override
        public PooledObject<Object> wrap(Object one) {
            return new DefaultPooledObject<>(one);
        }
    }
}
