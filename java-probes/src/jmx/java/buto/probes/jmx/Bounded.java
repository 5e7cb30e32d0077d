package buto.probes.jmx;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Calls that may hang, with a time limit: the caller continues, the call's own thread is left behind. */
final class Bounded {
    private Bounded() {}

    /**
     * Returns the result of {@code step}, or throws a TimeoutException that names {@code what}.
     *
     * @param whenLate receives a result that comes too late, to release it
     */
    static <T> T call(String what, long withinMs, Callable<T> step, Consumer<T> whenLate) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                T value = step.call();
                if (!answer.complete(value)) {
                    whenLate.accept(value);
                }
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }, "buto " + what);
        thread.setDaemon(true);
        thread.start();
        try {
            return answer.get(withinMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw unwrapped(failed);
        } catch (TimeoutException late) {
            if (answer.completeExceptionally(late)) {
                throw new TimeoutException(what + " took longer than " + withinMs + " ms");
            }
            return answer.get();
        }
    }

    private static Exception unwrapped(ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (cause instanceof Error) {
            throw (Error) cause;
        }
        return (Exception) cause;
    }
}
