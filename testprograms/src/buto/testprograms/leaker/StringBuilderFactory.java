package buto.testprograms.leaker;

/** The same text in a string builder: little garbage, but the builder is kept with its spare capacity. */
final class StringBuilderFactory implements ObjectFactory {
    private final Pieces pieces;

    StringBuilderFactory(Pieces pieces) {
        this.pieces = pieces;
    }

    @Override
    public Object create() {
        StringBuilder whole = new StringBuilder();
        for (int index = 0; index < pieces.count; index++) {
            whole.append(pieces.next());
        }
        return whole;
    }
}
