import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;

final class OfficeLarge implements Office {
    private final Striped<Lock> locks = Striped.lock(16);
    private final Multiset<Integer> taken = ConcurrentHashMultiset.create();

    @Override public boolean book(Booking b) {
        Lock lock = locks.get("route" + b.route());
        lock.lock();
        try {
            taken.add(b.sailing(), b.persons());
            boolean confirmed = Terminal.confirm(b);
            if (!confirmed) taken.remove(b.sailing(), b.persons());
            return confirmed;
        } finally {
            lock.unlock();
        }
    }

    @Override public int taken(int sailing) {
        return taken.count(sailing);
    }
}
