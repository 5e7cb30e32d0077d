package com.sun.management.internal;

import sun.management.VMManagement;

public class HotSpotThreadImpl {
    public HotSpotThreadImpl(VMManagement machine) {}

    /** From Java 21 on. */
    public long getTotalThreadAllocatedBytes() {
        return 0;
    }
}
