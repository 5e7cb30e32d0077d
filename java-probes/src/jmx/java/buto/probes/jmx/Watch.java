package buto.probes.jmx;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Custom MBeans to record. */
final class Watch {
    final ObjectName pattern;
    /** Names of the attributes to sample; none means all. */
    final List<String> attributes;
    final List<String> metadata;
    final boolean notifications;

    Watch(String pattern, String[] attributes, String[] metadata, boolean notifications)
            throws MalformedObjectNameException {
        this.pattern = new ObjectName(pattern);
        this.attributes = Collections.unmodifiableList(Arrays.asList(attributes.clone()));
        this.metadata = Collections.unmodifiableList(Arrays.asList(metadata.clone()));
        this.notifications = notifications;
    }
}
