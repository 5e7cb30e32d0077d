package buto.probes.agent.custom;

import buto.probes.agent.channel.Inbox;
import java.io.IOException;

/** Which MBeans of the program to read, and what of each. */
public final class BeanRule {
    final String pattern;

    /** Attributes to sample; none means all numeric ones. */
    final String[] attributes;

    /** Attributes to read once. */
    final String[] metadata;

    final boolean notifications;

    public BeanRule(Inbox frame) throws IOException {
        pattern = frame.text();
        attributes = frame.texts();
        metadata = frame.texts();
        notifications = frame.u8() != 0;
    }
}
