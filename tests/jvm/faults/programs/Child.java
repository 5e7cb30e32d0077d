/** Names the threads that it meets. */
public final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
        Thread.sleep(100);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            System.out.println("child has " + thread.getName());
        }
    }
}
