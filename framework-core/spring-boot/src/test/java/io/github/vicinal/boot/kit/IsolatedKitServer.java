package io.github.vicinal.boot.kit;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

import io.github.vicinal.testkit.KitClient;
import io.github.vicinal.testkit.server.KitPeers;
import io.micrometer.observation.ObservationRegistry;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * The kit's server as an application that shares nothing with its clients but the JDK and
 * the registry of the applications of a JVM: as the launcher runs those that it hosts.
 * What is seen of it from outside are types of the JDK.
 */
public final class IsolatedKitServer implements Closeable, IntSupplier {

	private final ConfigurableApplicationContext context;

	private final int port;

	private final Map<Class<?>, Object> peers = new ConcurrentHashMap<>();

	/**
	 * Starts a server of the class loader that has loaded this class.
	 * @param properties its properties
	 */
	public IsolatedKitServer(Map<String, Object> properties) {
		// There is one for the whole JVM.
		TomcatURLStreamHandlerFactory.disable();
		this.context = new SpringApplicationBuilder(VicinalKitEnvironment.ServerApplication.class)
			.web(WebApplicationType.SERVLET)
			.properties(properties)
			.initializers(
					(started) -> ((GenericApplicationContext) started).registerBean(KitPeers.class, () -> this::peer))
			.run();
		this.port = ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	/** Returns the port. */
	@Override
	public int getAsInt() {
		return this.port;
	}

	/** The server is a client of itself. */
	private <T> T peer(Class<T> contract) {
		return contract.cast(this.peers.computeIfAbsent(contract, this::client));
	}

	private <T> Object client(Class<T> contract) {
		RestClient.Builder builder = this.context.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + this.port)
			.requestFactory(
					this.context.getBean(ClientHttpRequestFactoryBuilder.class).build(HttpClientSettings.defaults()))
			.observationRegistry(this.context.getBean(ObservationRegistry.class));
		KitClient.BLOCKING.customize(builder);
		HttpServiceProxyFactory.Builder factory = HttpServiceProxyFactory
			.builderFor(RestClientAdapter.create(builder.build()));
		KitClient.BLOCKING.customize(factory);
		return this.context.getAutowireCapableBeanFactory()
			.applyBeanPostProcessorsAfterInitialization(factory.build().createClient(contract),
					"peer" + contract.getSimpleName());
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** Where a server has its classes, over all of its starts. */
	static final class Home implements Closeable {

		private final URLClassLoader loader = new URLClassLoader(classPath(), new SharedClasses());

		private static URL[] classPath() {
			List<URL> urls = new ArrayList<>();
			for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
				try {
					urls.add(Path.of(entry).toUri().toURL());
				}
				catch (MalformedURLException ex) {
					throw new IllegalStateException(ex);
				}
			}
			return urls.toArray(URL[]::new);
		}

		/**
		 * Starts a server.
		 * @param properties its properties
		 * @return an {@link IntSupplier} of its port, which is {@link Closeable}
		 */
		Object start(Map<String, Object> properties) {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			thread.setContextClassLoader(this.loader);
			try {
				return this.loader.loadClass(IsolatedKitServer.class.getName())
					.getConstructor(Map.class)
					.newInstance(properties);
			}
			catch (InvocationTargetException ex) {
				throw new IllegalStateException(ex.getCause());
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				thread.setContextClassLoader(before);
			}
		}

		@Override
		public void close() throws IOException {
			this.loader.close();
		}

	}

	/** The classes that all applications of a JVM have in common. */
	private static final class SharedClasses extends ClassLoader {

		private static final String REGISTRY = "io.github.vicinal.jvm.";

		SharedClasses() {
			super(getPlatformClassLoader());
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (name.startsWith(REGISTRY)) {
				return Class.forName(name, false, IsolatedKitServer.class.getClassLoader());
			}
			throw new ClassNotFoundException(name);
		}

	}

}
