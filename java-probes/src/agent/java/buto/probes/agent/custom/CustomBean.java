package buto.probes.agent.custom;

import buto.probes.agent.beans.Bean;
import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Reason;
import java.util.LinkedHashMap;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.OpenMBeanAttributeInfo;

/**
 * One MBean of the program: its wanted attributes, all fetched in one call. If one attribute makes that call
 * fail, as a getter that throws an Error does, each is fetched separately from then on.
 */
final class CustomBean extends Bean {
    /** Why an MBean that is gone has no values. */
    static final String UNREGISTERED = "the MBean was unregistered";

    private static final String[][] SECOND_NAMES = {
        {"SystemCpuLoad", "CpuLoad"},
        {"FreePhysicalMemorySize", "FreeMemorySize"},
        {"TotalPhysicalMemorySize", "TotalMemorySize"},
    };

    private final MBeanServer server;
    private final ObjectName name;
    private final LinkedHashMap<String, ValueNode> nodes = new LinkedHashMap<String, ValueNode>();
    private final String[] attributes;
    private final boolean[] asked;
    private boolean alone;

    /**
     * Adds a column for every wanted attribute with a numeric type, and for every one that was requested by name.
     * Other attributes get their columns when they have a value.
     *
     * @throws JMException if the bean does not describe itself, for example because it is gone
     */
    CustomBean(MBeanServer server, ObjectName name, BeanRule rule, Columns columns) throws JMException {
        super(name.getCanonicalName(), columns);
        this.server = server;
        this.name = name;
        MBeanAttributeInfo[] infos = server.getMBeanInfo(name).getAttributes();
        for (String attribute : rule.attributes) {
            ValueNode node = add(attribute);
            MBeanAttributeInfo info = find(infos, attribute);
            if (info == null || !NumericType.isPossible(info)) {
                node.declare(columns);
            }
        }
        for (MBeanAttributeInfo info : infos) {
            boolean isWanted = rule.attributes.length == 0 && !isSecondName(info.getName(), infos);
            if (isWanted && info.isReadable() && NumericType.isPossible(info)) {
                add(info.getName());
            }
            declare(info, columns);
        }
        attributes = nodes.keySet().toArray(new String[0]);
        asked = new boolean[attributes.length];
    }

    /**
     * Whether the JVM's own bean has this attribute under its newer name, too. To read both spoils them: each load of
     * the processor is since the last reading under either name.
     */
    private boolean isSecondName(String attribute, MBeanAttributeInfo[] infos) {
        if (!name.getCanonicalName().equals("java.lang:type=OperatingSystem")) {
            return false;
        }
        for (String[] names : SECOND_NAMES) {
            if (names[0].equals(attribute) && find(infos, names[1]) != null) {
                return true;
            }
        }
        return false;
    }

    private ValueNode add(String attribute) {
        ValueNode node = new ValueNode("mbean[" + name.getCanonicalName() + "]/" + attribute);
        nodes.put(attribute, node);
        return node;
    }

    private static MBeanAttributeInfo find(MBeanAttributeInfo[] infos, String attribute) {
        for (MBeanAttributeInfo info : infos) {
            if (info.getName().equals(attribute)) {
                return info;
            }
        }
        return null;
    }

    private void declare(MBeanAttributeInfo info, Columns columns) {
        ValueNode node = nodes.get(info.getName());
        if (node != null && info instanceof OpenMBeanAttributeInfo) {
            node.declare(((OpenMBeanAttributeInfo) info).getOpenType(), columns);
        } else if (node != null && NumericType.isNumeric(info.getType())) {
            node.declare(columns);
        }
    }

    @Override
    protected void read(Columns columns) throws JMException {
        try {
            readAll(columns);
        } catch (InstanceNotFoundException gone) {
            failed(columns, UNREGISTERED);
        }
    }

    private void readAll(Columns columns) throws JMException {
        if (attributes.length == 0) {
            return;
        }
        if (!alone) {
            try {
                readTogether(columns);
            } catch (RuntimeException oneOfThem) {
                if (oneOfThem.getCause() instanceof OutOfMemoryError) {
                    throw oneOfThem;
                }
                alone = true;
            }
        }
        if (alone) {
            for (String attribute : attributes) {
                readAlone(attribute, columns);
            }
        }
        failed(columns, "is not in this sample");
    }

    private void readTogether(Columns columns) throws JMException {
        AttributeList values = server.getAttributes(name, attributes);
        for (Object value : values) {
            Attribute attribute = (Attribute) value;
            ValueNode node = nodes.get(attribute.getName());
            if (node != null) {
                read(node, attribute.getValue(), columns);
            }
        }
        if (values.size() < attributes.length) {
            explainOmitted(values, columns);
        }
    }

    private void readAlone(String attribute, Columns columns) throws InstanceNotFoundException {
        ValueNode node = nodes.get(attribute);
        try {
            read(node, server.getAttribute(name, attribute), columns);
        } catch (InstanceNotFoundException gone) {
            throw gone;
        } catch (JMException failure) {
            node.failed(columns, Reason.of(failure));
        } catch (RuntimeException failure) {
            node.failed(columns, Reason.of(failure));
        }
    }

    private static void read(ValueNode node, Object value, Columns columns) {
        try {
            node.read(value, columns);
        } catch (OutOfMemoryError notItsFault) {
            throw notItsFault;
        } catch (RuntimeException programsOwnData) {
            node.failed(columns, Reason.of(programsOwnData));
        } catch (Error programsOwnData) {
            node.failed(columns, Reason.of(programsOwnData));
        }
    }

    /** A call for many attributes omits those that fail: each of them is fetched separately once, for its reason. */
    private void explainOmitted(AttributeList values, Columns columns) throws InstanceNotFoundException {
        for (int i = 0; i < attributes.length; i++) {
            if (!asked[i] && !contains(values, attributes[i])) {
                asked[i] = true;
                readAlone(attributes[i], columns);
            }
        }
    }

    private static boolean contains(AttributeList values, String attribute) {
        for (Object value : values) {
            if (((Attribute) value).getName().equals(attribute)) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected void failed(Columns columns, String reason) {
        for (ValueNode node : nodes.values()) {
            node.failed(columns, reason);
        }
    }
}
