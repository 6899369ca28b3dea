package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.boot.server.Endpoints.Endpoint;
import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointsTests {

	private static @Nullable String contract(String method, String uri) {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, StockController.class, OtherController.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			HttpServletRequest request = request(method, uri);
			Endpoint endpoint = endpoints(context).find(request);
			return (endpoint != null) ? endpoint.contract() : null;
		}
	}

	private static Endpoints endpoints(AnnotationConfigWebApplicationContext context) {
		return new Endpoints(() -> List.of(context.getBean(RequestMappingHandlerMapping.class)),
				() -> List.of(context.getBean(RouterFunctionMapping.class)));
	}

	private static HttpServletRequest request(String method, String uri) {
		MockHttpServletRequest request = new MockHttpServletRequest(method, uri);
		request.addHeader(PeerAnnouncement.REQUEST_HEADER, Stock.class.getName());
		return request;
	}

	@Test
	void thePathOfAContractBelongsToItWithAndWithoutVariables() {
		assertThat(contract("GET", "/stock")).isEqualTo(Stock.class.getName());
		assertThat(contract("GET", "/stock/7")).isEqualTo(Stock.class.getName());
		assertThat(contract("HEAD", "/stock/7")).isEqualTo(Stock.class.getName());
		assertThat(contract("POST", "/stock/7")).isEqualTo(Stock.class.getName());
		assertThat(contract("GET", "/stock/a%20b")).isEqualTo(Stock.class.getName());
	}

	@Test
	void aForgedHeaderIsNotBelieved() {
		assertThat(contract("GET", "/other")).isNull();
		assertThat(contract("GET", "/stock/7/8")).isNull();
		assertThat(contract("DELETE", "/stock/7")).isNull();
		assertThat(contract("GET", "/stock/own")).isNull();
	}

	@Test
	void functionalRoutesAreEndpointsAndResourcesAreNot() {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, OtherController.class, Routes.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			Endpoints endpoints = endpoints(context);
			assertThat(endpoints.all()).extracting(Endpoint::name)
				.containsExactlyInAnyOrder("GET /other", "GET /stock/own", "GET /routes/one",
						"POST /routes/nested/{id}", "/either", "/or", "/routes/nested/**", "/free/{x}/end");
			HandlerPaths paths = new HandlerPaths(endpoints, List::of);
			assertThat(paths).accepts("/routes/one", "/either", "/or", "/free/1/end", "/other");
			assertThat(paths).rejects("/files/app.js", "/", "/index.html");
		}
	}

	/** Where several handlers match, Spring takes the same one. */
	@Test
	void headHasTheEndpointThatSpringTakes() throws Exception {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, HeadController.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			Endpoints endpoints = endpoints(context);
			RequestMappingHandlerMapping mapping = context.getBean(RequestMappingHandlerMapping.class);
			for (String[] each : new String[][] { { "/heads/any/1", "GET /heads/any/{x}" },
					{ "/heads/own/1", "GET /heads/own/1" }, { "/heads/own/2", "HEAD /heads/own/*" },
					{ "/heads/other", "/heads/**" } }) {
				MockHttpServletRequest request = new MockHttpServletRequest("HEAD", each[0]);
				ServletRequestPathUtils.parseAndCache(request);
				HandlerExecutionChain chain = mapping.getHandler(request);
				assertThat(chain).isNotNull();
				String taken = ((HandlerMethod) chain.getHandler()).getMethod().getName();
				assertThat(endpoints.find(request)).isNotNull()
					.extracting(Endpoint::name)
					.as("Spring takes %s", taken)
					.isEqualTo(each[1]);
				assertThat(taken)
					.isEqualTo(each[1].startsWith("GET") ? "get" : each[1].startsWith("HEAD") ? "head" : "any");
			}
		}
	}

	/** A handler of one segment does not make files of others wait for a permit. */
	@Test
	void aVariableStandsForOneSegment() {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, VariableController.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			HandlerPaths paths = new HandlerPaths(endpoints(context), () -> List.of("/actuator"));
			assertThat(paths).accepts("/7", "/x/edit");
			assertThat(paths).rejects("/css/app.css", "/js/a/b.js", "/", "/actuator", "/actuator/health");
		}
	}

	/** The container has decoded the path, so a percent sign is only that. */
	@Test
	void aPathIsDecodedOnce() {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, VariableController.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			HandlerPaths paths = new HandlerPaths(endpoints(context), List::of);
			assertThat(paths).accepts("/100%", "/%zz", "/a;b", "/%2F/edit");
			assertThat(paths).rejects("/100%/75%");
		}
	}

	@HttpExchange("/stock")
	interface Stock {

		@GetExchange
		List<Integer> all();

		@GetExchange("/{id}")
		Integer get(String id);

		@PostExchange("/{id}")
		void put(String id);

	}

	@RestController
	static class StockController implements Stock {

		@Override
		public List<Integer> all() {
			return List.of();
		}

		@Override
		public Integer get(String id) {
			return 1;
		}

		@Override
		public void put(String id) {
		}

	}

	@RestController
	static class OtherController {

		@GetMapping("/stock/own")
		int own() {
			return 1;
		}

		@GetMapping("/other")
		int other() {
			return 1;
		}

	}

	@RestController
	static class HeadController {

		@GetMapping({ "/heads/any/{x}", "/heads/own/{x}", "/heads/own/1" })
		int get() {
			return 1;
		}

		@RequestMapping(method = RequestMethod.HEAD, path = "/heads/own/*")
		void head() {
		}

		@RequestMapping("/heads/**")
		int any() {
			return 1;
		}

	}

	@RestController
	static class VariableController {

		@GetMapping("/{x}")
		int one() {
			return 1;
		}

		@GetMapping("/{x}/edit")
		int edit() {
			return 1;
		}

	}

	static class Routes {

		@Bean
		RouterFunction<ServerResponse> routes() {
			HandlerFunction<ServerResponse> handler = (request) -> ServerResponse.ok().build();
			return RouterFunctions.route()
				.GET("/routes/one", handler)
				.path("/routes/nested",
						(nested) -> nested.POST("/{id}", handler).route(RequestPredicates.param("a", "b"), handler))
				.route(RequestPredicates.path("/either").or(RequestPredicates.path("/or")), handler)
				.route(RequestPredicates.path("/free/{x}/end").and(RequestPredicates.GET("/free/**").negate()), handler)
				.resources("/files/**", new ClassPathResource("files/"))
				.build();
		}

	}

	@EnableWebMvc
	static class Mvc {

	}

}
