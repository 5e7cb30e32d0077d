package buto.testprograms.consumerproducer;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Invents students; the same ones for the same seed. One producer owns it, so it takes no lock. */
public final class StudentFactory {
    private static final String[] FIRST_NAMES = {
        "Ada", "Alan", "Barbara", "Donald", "Edsger", "Frances", "Grace", "John", "Katherine", "Niklaus", "Radia",
    };
    private static final String[] LAST_NAMES = {
        "Brown", "Diaz", "Ito", "Jansen", "Kaur", "Li", "Moreau", "Novak", "Okafor", "Rossi", "Silva", "Weber",
    };
    private static final String[] DEGREES = {
        "BSc Computer Science", "BSc Physics", "BA History", "BE Software", "MSc Statistics",
    };

    private final Random random;
    private int lastId;

    public StudentFactory(long seed) {
        this.random = new Random(seed);
    }

    public List<Student> students(int count) {
        List<Student> students = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            students.add(new Student(++lastId, any(FIRST_NAMES), any(LAST_NAMES), any(DEGREES)));
        }
        return students;
    }

    private String any(String[] names) {
        return names[random.nextInt(names.length)];
    }
}
