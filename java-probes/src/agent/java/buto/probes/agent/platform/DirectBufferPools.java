package buto.probes.agent.platform;

import jdk.internal.access.SharedSecrets;
import jdk.internal.misc.Unsafe;
import jdk.internal.misc.VM;
import sun.nio.ch.FileChannelImpl;

/**
 * Reads the pools where the JDK keeps them, from Java 16 on. The JDK's own bean would initialise file channels, and with
 * them the network. Before the program has done so, no file can be mapped.
 */
final class DirectBufferPools implements BufferPools {
    private static final int DIRECT = 0;
    private static final String[] NAMES = {"direct", "mapped", "mapped - 'non-volatile memory'"};

    private final Unsafe unsafe = Unsafe.getUnsafe();
    private final VM.BufferPool[] pools = new VM.BufferPool[NAMES.length];

    DirectBufferPools() {
        pools[DIRECT] = SharedSecrets.getJavaNioAccess().getDirectBufferPool();
    }

    @Override
    public String[] names() {
        return NAMES;
    }

    @Override
    public boolean isReadable(int pool) {
        return true;
    }

    @Override
    public long count(int pool) {
        return isUsed(pool) ? pools[pool].getCount() : 0;
    }

    @Override
    public long used(int pool) {
        return isUsed(pool) ? pools[pool].getMemoryUsed() : 0;
    }

    @Override
    public long capacity(int pool) {
        return isUsed(pool) ? pools[pool].getTotalCapacity() : 0;
    }

    private boolean isUsed(int pool) {
        if (pools[pool] == null && !unsafe.shouldBeInitialized(FileChannelImpl.class)) {
            pools[1] = FileChannelImpl.getMappedBufferPool();
            pools[2] = FileChannelImpl.getSyncMappedBufferPool();
        }
        return pools[pool] != null;
    }
}
