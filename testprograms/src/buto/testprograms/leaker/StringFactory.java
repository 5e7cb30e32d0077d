package buto.testprograms.leaker;

/** A long string by concatenation: copies the whole text for each piece, and leaves the copies as garbage. */
final class StringFactory implements ObjectFactory {
    private final Pieces pieces;

    StringFactory(Pieces pieces) {
        this.pieces = pieces;
    }

    @Override
    public Object create() {
        String whole = "";
        for (int index = 0; index < pieces.count; index++) {
            whole = whole.concat(pieces.next());
        }
        return whole;
    }
}
