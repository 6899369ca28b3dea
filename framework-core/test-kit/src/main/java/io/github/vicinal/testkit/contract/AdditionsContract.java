package io.github.vicinal.testkit.contract;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Returns additions of the client: headers of a request that the contract does not know.
 *
 * @since 0.1.0
 */
@HttpExchange("/kit/additions")
public interface AdditionsContract extends KitContract {

	@GetExchange("/header/{name}")
	String header(@PathVariable String name);

	@PostExchange("/header/{name}")
	String headerOfPost(@PathVariable String name, @RequestBody String body);

	@GetExchange("/later/{name}")
	Mono<String> headerLater(@PathVariable String name);

	@GetExchange("/named")
	String named(@RequestHeader(name = "X-Kit-Added", required = false) @Nullable String added);

	@GetExchange("/cookie-named")
	String cookieNamed(@CookieValue(name = "own", required = false) @Nullable String own);

	@GetExchange("/query")
	String query(@RequestParam String asked);

	@PostExchange("/cookie")
	ResponseEntity<String> setCookie(@RequestParam String value);

	@PostExchange("/label")
	Label label(@RequestBody Label label);

	@PostExchange("/label-later")
	Mono<Label> labelLater(@RequestBody Label label);

	@GetExchange("/number")
	String number(@RequestParam int value);

	/**
	 * A body that shows how it was converted: the server puts what it read into
	 * {@code seen}.
	 *
	 * @param givenName a property of two words
	 * @param shown another
	 * @param seen what the server read
	 */
	record Label(@Nullable String givenName, @Nullable String shown, @Nullable String seen) {
	}

}
