package io.github.vicinal.testkit.contract;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PatchExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;

/**
 * Handlers that look at the request. The parameter {@code what} names the part that they
 * return.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/request")
public interface RequestContract extends KitContract {

	@GetExchange("/look")
	String look(@RequestParam String what);

	@HttpExchange(method = "OPTIONS", url = "/look")
	ResponseEntity<Void> options();

	@GetExchange("/look/{first}/of/{second}")
	String lookAtPath(@PathVariable String first, @PathVariable String second, @RequestParam String what);

	@GetExchange("/parameters")
	String lookAtParameters(@RequestParam String what, @RequestParam String one, @RequestParam List<String> many,
			@RequestParam(required = false) @Nullable String absent);

	@GetExchange("/headers")
	String lookAtHeaders(@RequestParam String what, @RequestHeader("X-Kit-One") String one,
			@RequestHeader("X-Kit-Many") List<String> many,
			@RequestHeader(name = "X-Kit-Absent", required = false) @Nullable String absent);

	@GetExchange("/typed-headers")
	String lookAtTypedHeaders(@RequestParam String what, @RequestHeader("X-Kit-Count") int count,
			@RequestHeader(name = "If-Modified-Since", required = false) @Nullable String since,
			@RequestHeader(name = "Accept-Language", required = false) @Nullable String language);

	@GetExchange("/cookies")
	String lookAtCookies(@RequestParam String what, @CookieValue String kit,
			@CookieValue(required = false) @Nullable String other);

	@PostExchange("/body")
	String lookAtBody(@RequestParam String what, @RequestBody Parcel body);

	@PostExchange(url = "/text", contentType = "text/plain;charset=UTF-8")
	String lookAtText(@RequestParam String what, @RequestBody String body);

	@PostExchange("/nothing")
	String lookAtPost(@RequestParam String what);

	@PutExchange("/{id}")
	String lookAtPut(@PathVariable long id, @RequestParam String what);

	@PatchExchange("/{id}")
	String lookAtPatch(@PathVariable long id, @RequestParam String what);

	@DeleteExchange("/{id}")
	String lookAtDelete(@PathVariable long id, @RequestParam String what);

	@GetExchange(url = "/accepting", accept = { "application/json", "text/plain;q=0.5" })
	List<String> lookAtAccept(@RequestParam String what);

	@GetExchange("/session")
	ResponseEntity<String> session(@RequestParam String what,
			@RequestHeader(name = "Cookie", required = false) @Nullable String cookie);

	@GetExchange("/attributes/{id}")
	String attributes(@PathVariable String id, @RequestParam String what);

	@GetExchange("/dispatched")
	String dispatched(@RequestParam String what);

	/** A body. */
	record Parcel(String name, int weight) {

	}

}
