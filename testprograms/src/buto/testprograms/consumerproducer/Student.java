package buto.testprograms.consumerproducer;

/** One student, as a page shows it. */
public final class Student {
    final int id;
    final String firstName;
    final String lastName;
    final String degree;

    Student(int id, String firstName, String lastName, String degree) {
        this.id = id;
        this.firstName = firstName;
        this.lastName = lastName;
        this.degree = degree;
    }

    @Override
    public String toString() {
        return id + " " + firstName + " " + lastName + ", " + degree;
    }
}
