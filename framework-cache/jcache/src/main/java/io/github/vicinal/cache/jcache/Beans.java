package io.github.vicinal.cache.jcache;

import java.lang.management.ManagementFactory;

import javax.cache.CacheException;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The beans of a cache in the platform's MBean server, named as JCache prescribes. */
final class Beans {

	private final String manager;

	private final String cache;

	Beans(String manager, String cache) {
		this.manager = safe(manager);
		this.cache = safe(cache);
	}

	/**
	 * Names as JCache prescribes, without what JMX takes for a pattern or a quotation.
	 */
	private static String safe(String text) {
		return text.replaceAll("[,:=\\n*?\"]", ".");
	}

	void register(String kind, Object bean, boolean wanted) {
		try {
			MBeanServer server = ManagementFactory.getPlatformMBeanServer();
			ObjectName name = new ObjectName(
					"javax.cache:type=Cache%s,CacheManager=%s,Cache=%s".formatted(kind, this.manager, this.cache));
			if (!wanted) {
				server.unregisterMBean(name);
			}
			else if (!server.isRegistered(name)) {
				server.registerMBean(bean, name);
			}
		}
		catch (InstanceNotFoundException | InstanceAlreadyExistsException ex) {
			// It is as it should be.
		}
		catch (JMException ex) {
			throw new CacheException("The cache '%s' cannot be shown in JMX".formatted(this.cache), ex);
		}
	}

}
