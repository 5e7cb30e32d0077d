package sun.nio.ch;

public class EPollSelectorProvider {}
