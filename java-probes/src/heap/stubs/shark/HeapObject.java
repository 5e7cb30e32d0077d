package shark;

public abstract class HeapObject {
    public abstract long getObjectId();

    public abstract int getRecordSize();

    public abstract static class HeapClass extends HeapObject {
        public final native String getName();
    }

    public abstract static class HeapInstance extends HeapObject {
        public final native long getInstanceClassId();

        public final native HeapField get(String declaringClass, String field);
    }

    public abstract static class HeapObjectArray extends HeapObject {
        public final native long getArrayClassId();
    }

    public abstract static class HeapPrimitiveArray extends HeapObject {
        public final native String getArrayClassName();
    }
}
