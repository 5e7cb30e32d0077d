package buto.probes.agent.custom;

import buto.probes.agent.channel.Metadata;
import buto.probes.agent.channel.Reason;
import java.lang.reflect.Array;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** Attributes of the program's MBeans that are read once. */
final class CustomMetadata {
    private CustomMetadata() {}

    /** Adds the wanted attributes of a bean; if one cannot be read, its value is the reason. */
    static void collect(MBeanServer server, ObjectName name, BeanRule rule, Metadata metadata) {
        for (String attribute : rule.metadata) {
            String key = "mbean[" + name.getCanonicalName() + "]/" + attribute;
            try {
                put(key, server.getAttribute(name, attribute), metadata);
            } catch (JMException failure) {
                metadata.put(key, "unreadable: " + Reason.of(failure));
            } catch (RuntimeException failure) {
                metadata.put(key, "unreadable: " + Reason.of(failure));
            }
        }
    }

    private static void put(String key, Object value, Metadata metadata) {
        if (value instanceof CompositeData) {
            CompositeData data = (CompositeData) value;
            for (String member : data.getCompositeType().keySet()) {
                put(key + "." + member, data.get(member), metadata);
            }
        } else if (value != null && value.getClass().isArray()) {
            StringBuilder joined = new StringBuilder();
            for (int i = 0; i < Array.getLength(value); i++) {
                joined.append(i == 0 ? "" : ", ").append(Array.get(value, i));
            }
            metadata.put(key, joined);
        } else {
            metadata.put(key, String.valueOf(value));
        }
    }
}
