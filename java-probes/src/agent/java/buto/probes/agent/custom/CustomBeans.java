package buto.probes.agent.custom;

import buto.probes.agent.channel.Channel;
import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Metadata;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.channel.Reason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;

/**
 * The program's MBeans that match the wanted patterns, in the platform's MBean server. A registration is
 * noticed in the registering thread, before the registering call returns, and the subscription happens at
 * once: no notification is lost. The sampler thread reads the beans.
 */
public final class CustomBeans implements NotificationListener {
    private static final String BROADCASTER = "javax.management.NotificationBroadcaster";

    /** Maximum number of beans: that of columns, since each bean has at least one. */
    private static final int MOST = Columns.MOST;

    private final MBeanServer server;
    private final BeanRule[] rules;
    private final ObjectName[] patterns;
    private final Thread sampler = Thread.currentThread();
    private final Notifications notifications = new Notifications(sampler);

    /** All registered beans that match, with their listeners. Guarded by this. */
    private final HashMap<ObjectName, Tap> taps = new HashMap<ObjectName, Tap>();

    /** Beans that were registered or unregistered since the sampler last looked; at most MOST. Guarded by this. */
    private final ArrayDeque<ObjectName> changes = new ArrayDeque<ObjectName>();

    /** The beans that are read. Used in the sampler thread only. */
    private final LinkedHashMap<ObjectName, CustomBean> live = new LinkedHashMap<ObjectName, CustomBean>();

    /** The bean whose code the sampler is executing, and since when; null for none. Guarded by this. */
    private ObjectName entered;

    private long enteredTime;
    private boolean closed;
    private boolean saidFull;

    /** Prepares the patterns, in the sampler thread; a malformed one is left out, with a note in metadata. */
    private CustomBeans(MBeanServer server, BeanRule[] rules, Metadata metadata) {
        this.server = server;
        this.rules = rules;
        patterns = new ObjectName[rules.length];
        for (int i = 0; i < rules.length; i++) {
            try {
                patterns[i] = new ObjectName(rules[i].pattern);
            } catch (MalformedObjectNameException malformed) {
                metadata.put("buto.malformed[" + rules[i].pattern + "]", Reason.of(malformed));
            }
        }
    }

    /** Starts to listen; returns null, with the reason in metadata, if the server cannot be used. */
    static CustomBeans open(MBeanServer server, BeanRule[] rules, Metadata metadata) {
        CustomBeans beans = new CustomBeans(server, rules, metadata);
        try {
            beans.begin();
            return beans;
        } catch (JMException unusable) {
            return refuse(unusable, metadata);
        }
    }

    /** Puts the reason for which there are no beans into metadata, and returns null. */
    static CustomBeans refuse(Throwable reason, Metadata metadata) {
        metadata.put("buto.mbeans.refused", Reason.of(reason));
        return null;
    }

    /** Begins to listen, and finds the beans that are already registered. */
    private void begin() throws JMException {
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this, null, null);
        for (ObjectName pattern : patterns) {
            if (pattern != null) {
                for (ObjectName name : server.queryNames(pattern, null)) {
                    appear(name);
                    if (!server.isRegistered(name)) {
                        disappear(name);
                    }
                }
            }
        }
    }

    @Override
    public void handleNotification(Notification notification, Object handback) {
        try {
            if (notification instanceof MBeanServerNotification) {
                ObjectName name = ((MBeanServerNotification) notification).getMBeanName();
                if (MBeanServerNotification.REGISTRATION_NOTIFICATION.equals(notification.getType())) {
                    appear(name);
                } else {
                    disappear(name);
                }
            }
        } catch (Throwable unseen) {
            // This is a thread of the program: no exception of the agent may reach it.
        }
    }

    private void appear(ObjectName name) {
        BeanRule rule = ruleOf(name);
        if (rule == null) {
            return;
        }
        Tap tap = new Tap(name, notifications);
        synchronized (this) {
            if (closed || taps.size() == MOST || taps.containsKey(name)) {
                return;
            }
            taps.put(name, tap);
            changed(name);
        }
        try {
            if (rule.notifications && server.isInstanceOf(name, BROADCASTER)) {
                server.addNotificationListener(name, tap, null, null);
            }
        } catch (JMException alreadyGone) {
            // A notification of its unregistration will follow.
        }
        LockSupport.unpark(sampler);
    }

    private void disappear(ObjectName name) {
        synchronized (this) {
            if (taps.remove(name) == null) {
                return;
            }
            changed(name);
        }
        LockSupport.unpark(sampler);
    }

    private void changed(ObjectName name) {
        if (changes.size() < MOST) {
            changes.add(name);
        }
    }

    /** The first rule that matches. */
    private BeanRule ruleOf(ObjectName name) {
        for (int i = 0; i < rules.length; i++) {
            if (patterns[i] != null && patterns[i].apply(name)) {
                return rules[i];
            }
        }
        return null;
    }

    /** Handles beans that were registered or unregistered; reads what is read once. */
    public void look(Columns columns, Metadata metadata) {
        for (ObjectName name = nextChange(); name != null; name = nextChange()) {
            CustomBean gone = live.remove(name);
            if (gone != null) {
                columns.clear();
                gone.failed(columns, CustomBean.UNREGISTERED);
            }
            if (isRegistered(name)) {
                enter(name);
                try {
                    begin(name, columns, metadata);
                } finally {
                    leave();
                }
            }
        }
        if (columns.hasRefused() && !saidFull) {
            saidFull = true;
            metadata.put("buto.columns.refused", "there are " + Columns.MOST + " columns, and no more are taken");
        }
    }

    private synchronized ObjectName nextChange() {
        return changes.poll();
    }

    private synchronized boolean isRegistered(ObjectName name) {
        return taps.containsKey(name);
    }

    private void begin(ObjectName name, Columns columns, Metadata metadata) {
        BeanRule rule = ruleOf(name);
        try {
            if (columns.hasRoom()) {
                live.put(name, new CustomBean(server, name, rule, columns));
            }
        } catch (JMException alreadyGone) {
            // A notification of its unregistration will follow.
        } catch (RuntimeException failure) {
            metadata.put("mbean[" + name.getCanonicalName() + "]", "unreadable: " + Reason.of(failure));
        }
        CustomMetadata.collect(server, name, rule, metadata);
    }

    /** Sends the notifications that the beans emitted since the last time. */
    public void sendNotifications(Outbox out) {
        notifications.send(out);
    }

    /** Returns the number of notifications lost so far. */
    public long droppedNotifications() {
        return notifications.dropped();
    }

    /** Reads every bean into the current row. */
    public void sample(Columns columns) {
        for (Map.Entry<ObjectName, CustomBean> each : live.entrySet()) {
            enter(each.getKey());
            try {
                each.getValue().sample(columns);
            } finally {
                leave();
            }
        }
    }

    private synchronized void enter(ObjectName name) {
        entered = name;
        enteredTime = System.nanoTime();
    }

    private synchronized void leave() {
        entered = null;
    }

    /**
     * Reports in a frame which bean the sampler waits for. Called by another thread: the sampler does not touch the
     * outbox while it executes a bean, and cannot leave the bean meanwhile.
     */
    public synchronized void explainDelay(Outbox out, Channel channel) throws IOException {
        if (entered != null) {
            out.begin(Frame.MARK);
            out.text("blocked " + entered.getCanonicalName());
            out.i64(enteredTime);
            out.end();
            out.flush(channel);
        }
    }

    /** Stops listening, if the program continues unmeasured. */
    public void close() {
        Map<ObjectName, Tap> left;
        synchronized (this) {
            closed = true;
            left = new HashMap<ObjectName, Tap>(taps);
            taps.clear();
        }
        notifications.close();
        remove(MBeanServerDelegate.DELEGATE_NAME, this);
        for (Map.Entry<ObjectName, Tap> each : left.entrySet()) {
            remove(each.getKey(), each.getValue());
        }
    }

    private void remove(ObjectName name, NotificationListener listener) {
        try {
            server.removeNotificationListener(name, listener);
        } catch (JMException notThere) {
            // Then there is nothing to remove.
        } catch (RuntimeException noBroadcaster) {
            // Then there is nothing to remove either.
        }
    }
}
