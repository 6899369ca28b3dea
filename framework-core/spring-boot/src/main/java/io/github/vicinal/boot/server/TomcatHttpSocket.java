package io.github.vicinal.boot.server;

import java.beans.PropertyDescriptor;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.Http11NioProtocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.WebServer;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;

/**
 * A second connector of Tomcat, on a Unix domain socket in the rendezvous directory. It
 * has the limits of the first one and shares its threads. Thread-safe.
 * <p>
 * Only this user can enter the directory, so only processes of this user can connect. A
 * server that speaks HTTPS gets no socket: what its clients prove by certificates would
 * be lost.
 */
public final class TomcatHttpSocket implements HttpSocketServer, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TomcatHttpSocket.class);

	/** What makes the difference between the two connectors. */
	private static final Set<String> OWN_PROPERTIES = Set.of("port", "portOffset", "address", "name", "domain",
			"unixDomainSocketPath", "unixDomainSocketPathPermissions", "bindOnInit", "SSLEnabled", "scheme", "secure",
			"throwOnFailure", "proxyName", "proxyPort");

	private final Supplier<@Nullable WebServer> webServer;

	private final Supplier<Rendezvous> rendezvous;

	private final Supplier<PeerIdentity> self;

	private boolean started;

	private @Nullable Connector socketConnector;

	private int port;

	private String unavailable = "";

	/**
	 * Creates the socket, which is not there before it is started.
	 * @param webServer the web server of the application, or {@code null}
	 * @param rendezvous where the socket is to be
	 * @param self names the socket
	 */
	public TomcatHttpSocket(Supplier<@Nullable WebServer> webServer, Supplier<Rendezvous> rendezvous,
			Supplier<PeerIdentity> self) {
		this.webServer = webServer;
		this.rendezvous = rendezvous;
		this.self = self;
	}

	@Override
	public synchronized int start() {
		if (!this.started) {
			this.started = true;
			try {
				this.unavailable = tryStart();
			}
			catch (LifecycleException | RuntimeException ex) {
				this.unavailable = "Tomcat did not start a connector on a Unix domain socket: " + ex;
			}
			if (!this.unavailable.isEmpty()) {
				logger.info("No socket for HTTP requests of this host: {}", this.unavailable);
			}
		}
		return this.port;
	}

	private String tryStart() throws LifecycleException {
		if (!(this.webServer.get() instanceof TomcatWebServer server)) {
			return "the web server is not Tomcat";
		}
		Connector main = server.getTomcat().getConnector();
		if (main.getSecure() || "https".equals(main.getScheme())) {
			return "the server speaks HTTPS";
		}
		if (!(main.getProtocolHandler() instanceof Http11NioProtocol mainProtocol)) {
			return "the protocol of Tomcat's connector is %s, not %s".formatted(main.getProtocolHandlerClassName(),
					Http11NioProtocol.class.getName());
		}
		Path socket = this.rendezvous.get().httpSocket(this.self.get().instanceId()).orElse(null);
		if (socket == null) {
			return this.rendezvous.get().unavailable().orElse("there is no rendezvous directory");
		}
		Http11NioProtocol protocol = new Http11NioProtocol();
		copySettings(mainProtocol, protocol);
		// So that it is closed when the connector stops, which Boot does not destroy.
		protocol.setProperty("bindOnInit", "false");
		protocol.setProperty("unixDomainSocketPath", socket.toString());
		protocol.setProperty("unixDomainSocketPathPermissions", "rw-------");
		protocol.setExecutor(mainProtocol.getExecutor());
		Connector connector = new Connector(protocol);
		copySettings(main, connector);
		connector.setThrowOnFailure(true);
		try {
			server.getTomcat().getService().addConnector(connector);
			// Tomcat starts it and only logs what goes wrong.
			if (!connector.getState().isAvailable()) {
				throw new LifecycleException("the connector is in state " + connector.getState());
			}
		}
		catch (LifecycleException | RuntimeException ex) {
			server.getTomcat().getService().removeConnector(connector);
			throw ex;
		}
		this.port = server.getPort();
		this.socketConnector = connector;
		return "";
	}

	/** Spring Boot destroys only the connectors that it made. */
	@Override
	public synchronized void close() {
		Connector connector = this.socketConnector;
		this.socketConnector = null;
		if (connector == null) {
			return;
		}
		try {
			if (connector.getState().isAvailable()) {
				connector.stop();
			}
			if (connector.getState() != LifecycleState.DESTROYED) {
				connector.destroy();
			}
		}
		catch (LifecycleException ex) {
			logger.warn("Tomcat's connector on a Unix domain socket could not be closed", ex);
		}
	}

	/** Copies limits, time-outs and the like: all properties of simple types. */
	private static void copySettings(Object from, Object to) {
		BeanWrapper source = PropertyAccessorFactory.forBeanPropertyAccess(from);
		BeanWrapper target = PropertyAccessorFactory.forBeanPropertyAccess(to);
		for (PropertyDescriptor property : source.getPropertyDescriptors()) {
			String name = property.getName();
			if (OWN_PROPERTIES.contains(name) || !BeanUtils.isSimpleValueType(property.getPropertyType())
					|| !source.isReadableProperty(name) || !target.isWritableProperty(name)) {
				continue;
			}
			try {
				Object value = source.getPropertyValue(name);
				if (value != null && !value.equals(target.getPropertyValue(name))) {
					target.setPropertyValue(name, value);
				}
			}
			catch (BeansException ex) {
				logger.debug("Tomcat's property {} cannot be copied", name, ex);
			}
		}
	}

	@Override
	public synchronized Optional<String> unavailable() {
		return this.unavailable.isEmpty() ? Optional.empty() : Optional.of(this.unavailable);
	}

}
