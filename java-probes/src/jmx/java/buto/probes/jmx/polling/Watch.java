package buto.probes.jmx.polling;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Custom MBeans to record. */
public final class Watch {
    final ObjectName pattern;
    /** Names of the attributes to sample; none means all. */
    final List<String> attributes;
    final List<String> metadata;
    final boolean notifications;

    public Watch(String pattern, String[] attributes, String[] metadata, boolean notifications)
            throws MalformedObjectNameException {
        this.pattern = name(pattern);
        this.attributes = Collections.unmodifiableList(Arrays.asList(attributes.clone()));
        this.metadata = Collections.unmodifiableList(Arrays.asList(metadata.clone()));
        this.notifications = notifications;
    }

    /** Parse an object name or pattern. */
    public static ObjectName name(String text) throws MalformedObjectNameException {
        try {
            return new ObjectName(text);
        } catch (MalformedObjectNameException wrong) {
            throw new MalformedObjectNameException(text + " is no object name: " + wrong.getMessage());
        }
    }
}
