package jdk.internal.access;

import jdk.internal.misc.VM;

public interface JavaNioAccess {
    VM.BufferPool getDirectBufferPool();
}
