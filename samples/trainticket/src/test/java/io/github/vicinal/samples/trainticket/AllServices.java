package io.github.vicinal.samples.trainticket;

import java.net.URI;
import java.util.List;

import io.github.vicinal.samples.trainticket.launch.RunningServices;
import io.github.vicinal.samples.trainticket.launch.Service;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts all services in this JVM once for all test classes that use it.
 */
public class AllServices implements BeforeAllCallback, ParameterResolver {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(AllServices.class);

	@Override
	public void beforeAll(ExtensionContext context) {
		started(context);
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == Started.class;
	}

	@Override
	public Started resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return started(context);
	}

	private static Started started(ExtensionContext context) {
		return context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent(Started.class, (key) -> Started.start(), Started.class);
	}

	/**
	 * The services.
	 *
	 * @param services all of them
	 * @param gateway address of the gateway
	 */
	public record Started(RunningServices services, URI gateway) implements AutoCloseable {

		/**
		 * Starts all services.
		 * @param properties further properties for all of them, as {@code name=value}
		 */
		static Started start(String... properties) {
			return FreePorts.startOn(Service.values().length,
					(basePort) -> new Started(RunningServices.start(List.of(Service.values()), basePort,
							(service) -> "localhost", List.of(properties)),
							Service.GATEWAY.address("localhost", basePort)));
		}

		@Override
		public void close() {
			this.services.close();
		}

	}

}
