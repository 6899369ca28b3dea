package io.github.vicinal.boot.test;

import java.util.List;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;

/**
 * A server in the JVM of a test that answers with controllers of the test, over every
 * path and over HTTP, on a port of its own. It knows nothing of the application: neither
 * its components nor its configuration files.
 *
 * @since 0.1.0
 */
public final class StubServer implements AutoCloseable {

	private static final String[] ARGUMENTS = { "--server.port=0", "--server.shutdown=immediate",
			"--spring.config.location=optional:classpath:/io/github/vicinal/boot/test/none/",
			"--spring.application.name=stub" };

	private final ConfigurableApplicationContext context;

	private StubServer(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts a server. It needs {@code spring-boot-starter-webmvc}.
	 * @param controllers objects whose classes are annotated with {@code @RestController}
	 * or {@code @Controller}, or mocks of such classes
	 * @return the server, which has to be closed
	 * @throws IllegalArgumentException if an object is no controller
	 */
	public static StubServer serving(Object... controllers) {
		for (Object controller : controllers) {
			if (!AnnotatedElementUtils.hasAnnotation(controller.getClass(), Controller.class)) {
				throw new IllegalArgumentException(
						"A stub is an object of a class with @RestController, but %s has no such annotation: annotate the class"
							.formatted(controller.getClass().getName()));
			}
		}
		SpringApplication application = new SpringApplication(Server.class);
		application.setWebApplicationType(WebApplicationType.SERVLET);
		application.setBannerMode(Banner.Mode.OFF);
		application.setRegisterShutdownHook(false);
		application.addInitializers((context) -> register((GenericApplicationContext) context, List.of(controllers)));
		return new StubServer(application.run(ARGUMENTS));
	}

	@SuppressWarnings("unchecked")
	private static void register(GenericApplicationContext context, List<Object> controllers) {
		for (int i = 0; i < controllers.size(); i++) {
			Object controller = controllers.get(i);
			context.registerBean("stub" + i, (Class<Object>) ClassUtils.getUserClass(controller), () -> controller);
		}
	}

	/**
	 * Returns where the server is.
	 * @return for example {@code http://localhost:40123}
	 */
	public String url() {
		return "http://localhost:" + this.context.getEnvironment().getRequiredProperty("local.server.port");
	}

	/** Stops the server. */
	@Override
	public void close() {
		this.context.close();
	}

	/** The server's configuration; its auto-configurations are in a file of its name. */
	@Configuration(proxyBeanMethods = false)
	@StubServerAutoConfigurations
	static class Server {

	}

}
