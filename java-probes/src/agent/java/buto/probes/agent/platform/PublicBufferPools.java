package buto.probes.agent.platform;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Reads the pools through the JDK's beans. These initialise file channels, and with them the network, so they wait until
 * the program has had time to configure that.
 */
final class PublicBufferPools implements BufferPools {
    private static final long WAIT_NANOS = 1000000000L;
    private static final int FIRST_WITH_THREE = 14;

    private final long created = System.nanoTime();
    private final String[] names;

    /** In the order of the names; null before the wait is over. */
    private BufferPoolMXBean[] pools;

    PublicBufferPools(String javaVersion) {
        String[] two = {"direct", "mapped"};
        String[] three = {"direct", "mapped", "mapped - 'non-volatile memory'"};
        boolean isNew = !javaVersion.startsWith("1.") && Integer.parseInt(javaVersion) >= FIRST_WITH_THREE;
        names = isNew ? three : two;
    }

    @Override
    public String[] names() {
        return names;
    }

    @Override
    public boolean isReadable(int pool) {
        if (pools == null && System.nanoTime() - created >= WAIT_NANOS) {
            pools = inOrder(ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class));
        }
        return pools != null && pools[pool] != null;
    }

    private BufferPoolMXBean[] inOrder(List<BufferPoolMXBean> beans) {
        BufferPoolMXBean[] ordered = new BufferPoolMXBean[names.length];
        for (BufferPoolMXBean bean : beans) {
            for (int i = 0; i < names.length; i++) {
                if (names[i].equals(bean.getName())) {
                    ordered[i] = bean;
                }
            }
        }
        return ordered;
    }

    @Override
    public long count(int pool) {
        return pools[pool].getCount();
    }

    @Override
    public long used(int pool) {
        return pools[pool].getMemoryUsed();
    }

    @Override
    public long capacity(int pool) {
        return pools[pool].getTotalCapacity();
    }
}
