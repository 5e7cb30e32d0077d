import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;

final class OfficeHarmless1 implements Office {
    private final Striped<Lock> locks = Striped.lock(16);
    private final Multiset<Integer> seats = ConcurrentHashMultiset.create();

    @Override public boolean book(Booking b) {
        reserve(b);
        if (Terminal.confirm(b)) return true;
        release(b);
        return false;
    }

    private void reserve(Booking b) {
        Lock lock = locks.get(b.sailing());
        lock.lock();
        try {
            seats.add(b.sailing(), b.persons());
        } finally {
            lock.unlock();
        }
    }

    private void release(Booking b) {
        Lock lock = locks.get(b.sailing());
        lock.lock();
        try {
            seats.remove(b.sailing(), b.persons());
        } finally {
            lock.unlock();
        }
    }

    @Override public int taken(int sailing) {
        return seats.count(sailing);
    }
}
