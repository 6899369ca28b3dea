package io.github.vicinal.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;

/**
 * Remembers whose threads have registered which MBeans. The loader of an MBean alone does
 * not say whose it is: where it is a standard or a model MBean, that is the loader of the
 * JDK or of a shared library. Thread-safe.
 */
final class OwnedBeans implements NotificationListener, AutoCloseable {

	private final MBeanServer server;

	private final Map<ObjectName, ApplicationLoader> owners = new ConcurrentHashMap<>();

	private OwnedBeans(MBeanServer server) {
		this.server = server;
	}

	/** Looks at what is registered from now on. */
	static OwnedBeans watch(MBeanServer server) {
		OwnedBeans beans = new OwnedBeans(server);
		try {
			server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, beans, null, null);
			return beans;
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Called by the thread that registers. */
	@Override
	public void handleNotification(Notification notification, Object handback) {
		if (!(notification instanceof MBeanServerNotification change)) {
			return;
		}
		ApplicationLoader owner = ApplicationThreads.owner(Thread.currentThread());
		if (change.getType().equals(MBeanServerNotification.UNREGISTRATION_NOTIFICATION)) {
			this.owners.remove(change.getMBeanName());
		}
		else if (owner != null) {
			this.owners.put(change.getMBeanName(), owner);
		}
	}

	/**
	 * Unregisters those of an application.
	 * @return their names
	 */
	List<ObjectName> remove(ApplicationLoader loader) {
		List<ObjectName> removed = new ArrayList<>();
		for (ObjectName name : this.server.queryNames(null, null)) {
			try {
				if (this.owners.get(name) == loader || loader.owns(this.server.getClassLoaderFor(name))) {
					this.server.unregisterMBean(name);
					removed.add(name);
				}
			}
			catch (JMException | JMRuntimeException ex) {
				// Gone meanwhile, or it does not let itself be unregistered.
			}
		}
		this.owners.values().removeIf((owner) -> owner == loader);
		return removed;
	}

	@Override
	public void close() {
		try {
			this.server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this);
		}
		catch (JMException ex) {
			// Gone already.
		}
	}

}
