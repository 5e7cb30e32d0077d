import rx.Subscription;
import rx.subjects.ReplaySubject;

/** Emits many items to a subject that replays the last ten, and has a subscriber. */
final class RxReplaySubject {
    private static final int ITEMS = 300_000;

    public static void main(String[] args) throws Exception {
        ReplaySubject<Integer> subject = ReplaySubject.createWithSize(10);
        Subscription subscription = subject.subscribe(item -> {});
        for (int i = 0; i < ITEMS; i++) {
            subject.onNext(i);
        }
        Use.print(subject, subscription);
    }
}
