package com.sun.management.internal;

import sun.management.VMManagement;

public class HotSpotThreadImpl {
    public HotSpotThreadImpl(VMManagement machine) {}

    /** From Java 21 on, and in updates of 17. */
    public long getTotalThreadAllocatedBytes() {
        return 0;
    }
}
