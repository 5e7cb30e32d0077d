import java.util.List;

/** The reservation desk of a ferry company with several harbours. */
interface Terminal {
    /** A new timetable holds from now on. */
    void timetable(int number);

    /** Books what was asked for in a day. */
    void day(List<String> requests) throws Exception;

    List<String> summary() throws Exception;
}
