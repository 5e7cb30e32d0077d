import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;

final class OfficeBase implements Office {
    private final Striped<Lock> locks = Striped.lock(16);
    private final Multiset<Integer> taken = ConcurrentHashMultiset.create();

    @Override public boolean book(Booking b) {
        reserve(b);
        boolean confirmed = Terminal.confirm(b);
        if (!confirmed) release(b);
        return confirmed;
    }

    private void reserve(Booking b) {
        Lock lock = locks.get(b.sailing());
        lock.lock();
        try {
            taken.add(b.sailing(), b.persons());
        } finally {
            lock.unlock();
        }
    }

    private void release(Booking b) {
        Lock lock = locks.get(b.sailing());
        lock.lock();
        try {
            taken.remove(b.sailing(), b.persons());
        } finally {
            lock.unlock();
        }
    }

    @Override public int taken(int sailing) {
        return taken.count(sailing);
    }
}
