package io.github.vicinal.boot.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.codec.JsonStructure;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

import static org.assertj.core.api.Assertions.assertThat;

/** Which methods of a client and which handlers are two sides of one call. */
class MethodStructureTests {

	private static final JsonStructure JSON = new JsonStructure(JsonMapper.builder().build());

	private static MethodStructure client(String name) {
		Contract contract = ExchangeContractReader.contract(Client.class);
		ContractMethod method = contract.methods()
			.stream()
			.filter((each) -> each.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
		return MethodStructure.ofClient(Client.class, method, (path) -> path, JSON);
	}

	private static MethodStructure handler(String httpMethod, String pattern, String name) {
		HandlerMethod handler = new HandlerMethod(new Controller(),
				Arrays.stream(Controller.class.getDeclaredMethods())
					.filter((each) -> each.getName().equals(name))
					.findFirst()
					.orElseThrow());
		return MethodStructure.ofHandler(httpMethod, pattern, Controller.class, handler.getMethodParameters(),
				ResultShape.of(Controller.class, handler.getMethod()), JSON);
	}

	@ParameterizedTest
	@CsvSource({ "GET,/orders/{number},read,read", "GET,/orders/{number},read,readEntity",
			"GET,/orders/{number},read,readBoxed", "GET,/orders/{number},readEntity,read",
			"GET,/orders/{number},readLater,read", "POST,/orders,add,add", "GET,/orders,find,find",
			"GET,/orders,findRequired,find", "DELETE,/orders/{a}/lines/{b},remove,remove", "GET,/orders,names,names",
			"GET,/orders,resolved,names", "GET,/orders,header,header" })
	void match(String httpMethod, String pattern, String clientMethod, String handler) {
		MethodStructure ofClient = client(clientMethod);
		MethodStructure ofHandler = handler(httpMethod, pattern, handler);
		assertThat(ofClient.reason()).isEmpty();
		assertThat(ofHandler.reason()).isEmpty();
		assertThat(ofHandler.hashes()).contains(ofClient.hashes().get(0));
	}

	@ParameterizedTest
	@CsvSource({ "GET,/orders/{number},read,readText", "GET,/orders/{number},read,readOther",
			"GET,/orders/{number}/x,read,read", "POST,/orders/{number},read,read", "POST,/orders,add,addOther",
			"POST,/orders,addReversed,add", "GET,/orders,find,findRequired", "GET,/orders,find,findNamed",
			"GET,/orders,names,nothing", "DELETE,/orders/{b}/lines/{a},remove,remove", "GET,/orders,header,names" })
	void differ(String httpMethod, String pattern, String clientMethod, String handler) {
		MethodStructure ofClient = client(clientMethod);
		MethodStructure ofHandler = handler(httpMethod, pattern, handler);
		assertThat(ofClient.reason()).isEmpty();
		assertThat(ofHandler.reason()).isEmpty();
		assertThat(ofHandler.hashes()).doesNotContainAnyElementsOf(ofClient.hashes());
	}

	@ParameterizedTest
	@CsvSource({ "withDefault,has a default value", "withMedia,names media types", "withHeaders,sets headers",
			"withDate,has other annotations", "withRegex,is more than segments and variables",
			"withQuery,is more than segments and variables", "unfilled,do not fill the path",
			"anything,declared as Object", "optional,comes in OPTIONAL", "openResult,open to other implementations" })
	void clientsMethodsWithoutStructure(String name, String reason) {
		assertThat(client(name).hashes()).isEmpty();
		assertThat(client(name).reason()).contains(reason);
	}

	@ParameterizedTest
	@CsvSource({ "withDefault,has a default value", "later,asynchronous", "withRequest,has a meaning to HTTP only",
			"wildcard,the result", "bodyOfText,is java.lang.CharSequence" })
	void handlersWithoutStructure(String name, String reason) {
		assertThat(handler("GET", "/orders", name).hashes()).isEmpty();
		assertThat(handler("GET", "/orders", name).reason()).contains(reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/orders/", "/orders/**", "/orders/{number:[0-9]+}", "/orders/{*rest}", "orders",
			"/orders/{a}-{b}", "/", "" })
	void unusualPathsHaveNoStructure(String pattern) {
		assertThat(handler("GET", pattern, "names").reason()).contains("is more than segments and variables");
	}

	@Test
	void unusualMethodsHaveNoStructure() {
		assertThat(handler("HEAD", "/orders", "nothing").reason()).contains("HEAD is left to HTTP");
	}

	record Order(long id, String note) {
	}

	record Purchase(String note, long id) {
	}

	record Parcel(String note, int id) {
	}

	@HttpExchange("/orders")
	interface Client {

		@GetExchange("/{id}")
		Order read(@PathVariable long id);

		@GetExchange("/{id}")
		ResponseEntity<Order> readEntity(@PathVariable long id);

		@GetExchange("/{id}")
		CompletableFuture<Order> readLater(@PathVariable long id);

		@PostExchange
		Order add(@RequestBody Purchase order);

		@PostExchange
		Order addReversed(@RequestBody Order order);

		@GetExchange
		List<Order> find(@RequestParam String owner, @RequestParam(required = false) Integer limit);

		@GetExchange
		List<Order> findRequired(@RequestParam String owner, @RequestParam Integer limit);

		@GetExchange
		List<String> names();

		@GetExchange
		List<String> header(@RequestHeader("X-Tenant") String tenant);

		@DeleteExchange("/{order}/lines/{line}")
		void remove(@PathVariable("order") long order, @PathVariable("line") int line);

		@HttpExchange(method = "GET", url = "")
		List<String> resolved();

		@GetExchange
		List<String> withDefault(@RequestParam(defaultValue = "1") int page);

		@GetExchange(accept = "application/json")
		List<String> withMedia();

		@HttpExchange(method = "GET", headers = "X-Version=1")
		List<String> withHeaders();

		@GetExchange
		List<String> withDate(@RequestParam @DateTimeFormat(iso = DateTimeFormat.ISO.DATE) java.time.LocalDate day);

		@GetExchange("/{id:[0-9]+}")
		List<String> withRegex(@PathVariable("id") long id);

		@GetExchange("?x=1")
		List<String> withQuery();

		@GetExchange("/{id}/{other}")
		List<String> unfilled(@PathVariable long id);

		@GetExchange
		Object anything();

		@GetExchange
		Optional<Order> optional();

		@GetExchange
		Number openResult();

	}

	@SuppressWarnings("unused")
	static class Controller {

		Purchase read(@PathVariable long number) {
			return new Purchase("", number);
		}

		ResponseEntity<Purchase> readEntity(@PathVariable long number) {
			return ResponseEntity.ok(read(number));
		}

		Purchase readBoxed(@PathVariable("number") Long value) {
			return read(value);
		}

		Purchase readText(@PathVariable String number) {
			return read(0);
		}

		Parcel readOther(@PathVariable long number) {
			return new Parcel("", 1);
		}

		Purchase add(@RequestBody Purchase purchase) {
			return purchase;
		}

		Purchase addOther(@RequestBody Parcel parcel) {
			return read(0);
		}

		List<Purchase> find(@RequestParam String owner, @RequestParam(required = false) Integer limit) {
			return List.of();
		}

		List<Purchase> findRequired(@RequestParam String owner, @RequestParam Integer limit) {
			return List.of();
		}

		List<Purchase> findNamed(@RequestParam("holder") String owner, @RequestParam(required = false) Integer limit) {
			return List.of();
		}

		List<String> names() {
			return List.of();
		}

		List<String> header(@RequestHeader("x-tenant") String tenant) {
			return List.of();
		}

		void nothing() {
		}

		void remove(@PathVariable("a") long a, @PathVariable("b") int b) {
		}

		List<String> withDefault(@RequestParam(defaultValue = "1") int page) {
			return List.of();
		}

		CompletableFuture<Purchase> later() {
			return CompletableFuture.completedFuture(read(0));
		}

		List<String> withRequest(jakarta.servlet.http.HttpServletRequest request) {
			return List.of();
		}

		ResponseEntity<?> wildcard() {
			return ResponseEntity.ok().build();
		}

		List<String> bodyOfText(@RequestBody CharSequence text) {
			return List.of();
		}

	}

}
