package io.github.vicinal.boot.server;

import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.github.vicinal.peer.PeerAnnouncement;

import static org.assertj.core.api.Assertions.assertThat;

class ContractPathsTests {

	private static @Nullable String contract(String method, String uri) {
		try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
			context.register(Mvc.class, StockController.class, OtherController.class);
			context.setServletContext(new MockServletContext());
			context.refresh();
			HttpServletRequest request = request(method, uri);
			return new ContractPaths(() -> List.of(context.getBean(RequestMappingHandlerMapping.class)))
				.contract(request);
		}
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
		assertThat(contract("POST", "/stock/7")).isEqualTo(Stock.class.getName());
		assertThat(contract("GET", "/stock/a%20b")).isEqualTo(Stock.class.getName());
	}

	@Test
	void whatTheHeaderClaimsElsewhereIsNotBelieved() {
		assertThat(contract("GET", "/other")).isNull();
		assertThat(contract("GET", "/stock/7/8")).isNull();
		assertThat(contract("DELETE", "/stock/7")).isNull();
		assertThat(contract("GET", "/stock/own")).isNull();
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

	@EnableWebMvc
	static class Mvc {

	}

}
