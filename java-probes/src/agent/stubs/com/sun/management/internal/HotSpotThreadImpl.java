package com.sun.management.internal;

import sun.management.VMManagement;

public class HotSpotThreadImpl {
    public HotSpotThreadImpl(VMManagement machine) {}
}
