package buto.store.order;

/** Some pieces of one product. */
public record Line(int product, int pieces, int cents) {}
