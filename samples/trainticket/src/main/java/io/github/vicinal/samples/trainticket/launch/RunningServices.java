package io.github.vicinal.samples.trainticket.launch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Services that run in this JVM, each in a Spring context of its own.
 */
public final class RunningServices implements AutoCloseable {

	private static final int LARGEST_PORT = 65_535;

	private final Map<Service, ConfigurableApplicationContext> contexts = new EnumMap<>(Service.class);

	private RunningServices() {
	}

	/**
	 * Starts services one after the other.
	 * @param services the services
	 * @param basePort port of the first service of all, not only of the ones to start
	 * @param host knows where a service runs, started here or not
	 * @param properties further properties for all of them, as {@code name=value}
	 * @return the running services
	 */
	public static RunningServices start(List<Service> services, int basePort, Function<Service, String> host,
			List<String> properties) {
		checkPorts(services, basePort, host);
		RunningServices running = new RunningServices();
		try {
			services.forEach((service) -> running.start(service, basePort, host, properties));
			return running;
		}
		catch (RuntimeException ex) {
			running.close();
			throw ex;
		}
	}

	private void start(Service service, int basePort, Function<Service, String> host, List<String> properties) {
		List<String> arguments = new ArrayList<>();
		arguments.add("--spring.application.name=" + service.serviceName());
		arguments.add("--server.address=" + host.apply(service));
		arguments.add("--server.port=" + service.port(basePort));
		for (Service callee : Service.values()) {
			arguments.add("--spring.http.serviceclient." + callee.serviceName() + ".base-url="
					+ callee.address(host.apply(callee), basePort));
		}
		properties.forEach((property) -> arguments.add("--" + property));
		try {
			this.contexts.put(service, SpringApplication.run(service.application(), arguments.toArray(String[]::new)));
		}
		catch (ApplicationContextException ex) {
			if (ex.getCause() instanceof PortInUseException inUse) {
				throw portInUse(service, inUse.getPort());
			}
			throw ex;
		}
	}

	/**
	 * The Spring context of a service.
	 * @param service a service that was started
	 * @return its context
	 */
	public ConfigurableApplicationContext context(Service service) {
		@Nullable ConfigurableApplicationContext context = this.contexts.get(service);
		if (context == null) {
			throw new IllegalArgumentException(service + " was not started here");
		}
		return context;
	}

	/**
	 * The services that run.
	 * @return the services
	 */
	public List<Service> services() {
		return List.copyOf(this.contexts.keySet());
	}

	/**
	 * Stops the services, callers before callees.
	 */
	@Override
	public void close() {
		List<ConfigurableApplicationContext> started = new ArrayList<>(this.contexts.values());
		started.forEach(ConfigurableApplicationContext::close);
	}

	/**
	 * Checks that nothing listens where services shall listen.
	 * @param services the services
	 * @param basePort port of the first service of all
	 * @param host knows where a service runs
	 */
	public static void checkPorts(List<Service> services, int basePort, Function<Service, String> host) {
		int last = Service.values().length - 1;
		if (basePort < 1 || basePort + last > LARGEST_PORT) {
			throw new UsageException(
					"Base port " + basePort + " is out of range", "the services use the base port and the " + last
							+ " ports after it, all between 1 and " + LARGEST_PORT,
					"choose --base-port between 1 and " + (LARGEST_PORT - last));
		}
		for (Service service : services) {
			checkPort(service, host.apply(service), service.port(basePort));
		}
	}

	private static void checkPort(Service service, String host, int port) {
		InetSocketAddress address = new InetSocketAddress(host, port);
		if (address.isUnresolved()) {
			throw new UsageException("Host '" + host + "' of service '" + service.serviceName() + "' is unknown",
					"the host of a group is a name or an address of the machine that runs it", "correct the plan");
		}
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(address);
		}
		catch (IOException ex) {
			throw portInUse(service, port);
		}
	}

	private static UsageException portInUse(Service service, int port) {
		return new UsageException(
				"Port " + port + " of service '" + service.serviceName() + "' is in use or not allowed",
				"each service listens on the base port plus its fixed offset, here " + service.ordinal(),
				"stop what uses the port, or choose another --base-port");
	}

}
