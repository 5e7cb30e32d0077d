/** What {@link Talkative} tells. */
public interface TalkativeMBean {
    String getPassword();

    String getUrl();
}
