package io.github.vicinal.samples.clinic;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.samples.clinic.board.BoardApplication;
import io.github.vicinal.samples.clinic.gateway.GatewayApplication;
import io.github.vicinal.samples.clinic.owners.OwnersApplication;
import io.github.vicinal.samples.clinic.visits.VisitsApplication;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** The services, each of which is an application of its own. */
public enum Clinic {

	/** Owners and their pets. */
	OWNERS(OwnersApplication.class, WebApplicationType.SERVLET),

	/** Visits. */
	VISITS(VisitsApplication.class, WebApplicationType.SERVLET),

	/** The board, on WebFlux. */
	BOARD(BoardApplication.class, WebApplicationType.REACTIVE),

	/** The gateway. */
	GATEWAY(GatewayApplication.class, WebApplicationType.SERVLET);

	private final Class<?> application;

	private final WebApplicationType type;

	Clinic(Class<?> application, WebApplicationType type) {
		this.application = application;
		this.type = type;
	}

	/**
	 * Starts the service.
	 * @param properties where the others are, and whatever else
	 * @return the running service
	 */
	public ConfigurableApplicationContext start(Map<String, Object> properties) {
		Map<String, Object> all = new LinkedHashMap<>();
		all.put("spring.application.name", name().toLowerCase(Locale.ROOT));
		all.put("spring.main.banner-mode", "off");
		all.put("spring.mvc.problemdetails.enabled", "true");
		all.put("management.endpoints.web.exposure.include", "*");
		if (this == GATEWAY) {
			route(all, 0, "owners", properties);
			route(all, 1, "visits", properties);
			route(all, 2, "board", properties);
		}
		all.putAll(properties);
		SpringApplication application = new SpringApplication(this.application);
		application.setWebApplicationType(this.type);
		application.setDefaultProperties(all);
		return application.run();
	}

	private static void route(Map<String, Object> all, int number, String service, Map<String, Object> properties) {
		String prefix = "spring.cloud.gateway.server.webmvc.routes[%d].".formatted(number);
		all.put(prefix + "id", service);
		all.put(prefix + "uri", properties.get("clinic." + service));
		all.put(prefix + "predicates[0]", "Path=/%s/**".formatted(service));
	}

	/**
	 * Runs one service in this JVM.
	 * @param arguments its name, and properties as {@code name=value}
	 */
	public static void main(String[] arguments) {
		Map<String, Object> properties = new LinkedHashMap<>();
		Arrays.stream(arguments)
			.skip(1)
			.map((argument) -> argument.split("=", 2))
			.forEach((pair) -> properties.put(pair[0], pair[1]));
		valueOf(arguments[0].toUpperCase(Locale.ROOT)).start(properties);
	}

}
