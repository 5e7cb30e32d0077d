package shark;

public abstract class HeapField {
    public final native HeapObject.HeapPrimitiveArray getValueAsPrimitiveArray();
}
