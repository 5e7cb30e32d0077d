import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;

final class OfficeHarmless2 implements Office {
    private final Striped<Lock> locks = Striped.lock(16);
    private final Multiset<Integer> taken = ConcurrentHashMultiset.create();

    @Override public boolean book(Booking b) {
        reserve(b);
        boolean confirmed = Terminal.confirm(b);
        if (!confirmed) release(b);
        return confirmed;
    }

    private void reserve(Booking b) {
        change(b, b.persons());
    }

    private void release(Booking b) {
        change(b, -b.persons());
    }

    private void change(Booking b, int persons) {
        Lock lock = locks.get(b.sailing());
        lock.lock();
        try {
            taken.setCount(b.sailing(), taken.count(b.sailing()) + persons);
        } finally {
            lock.unlock();
        }
    }

    @Override public int taken(int sailing) {
        return taken.count(sailing);
    }
}
