package buto.testprograms.consumerproducer;

import java.util.List;

/** The web page that shows a list of students. */
final class Page {
    private Page() {
    }

    static String of(List<Student> students) {
        StringBuilder page = new StringBuilder("<!doctype html><title>Students</title><table>");
        for (Student student : students) {
            page.append("<tr>");
            cell(page, Integer.toString(student.id));
            cell(page, student.firstName);
            cell(page, student.lastName);
            cell(page, student.degree);
        }
        return page.append("</table>").toString();
    }

    private static void cell(StringBuilder page, String text) {
        page.append("<td>").append(text);
    }
}
