package io.github.vicinal.testkit.contract;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Every kind of argument that a client interface can have. The answers say what arrived.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/arguments")
public interface ArgumentsContract extends KitContract {

	@GetExchange("/path/{value}")
	Seen path(@PathVariable String value);

	@GetExchange("/between/{left}-{right}/end")
	Seen twoInOneSegment(@PathVariable String left, @PathVariable("right") String right);

	@GetExchange("/typed/{id}/{day}/{colour}/{flag}/{number}")
	Seen typedPath(@PathVariable UUID id, @PathVariable @DateTimeFormat(iso = DateTimeFormat.ISO.DATE) LocalDate day,
			@PathVariable Colour colour, @PathVariable boolean flag, @PathVariable int number);

	@GetExchange("/map/{a}/{b}")
	Seen pathMap(@PathVariable Map<String, String> variables);

	@GetExchange("/text")
	Seen text(@RequestParam String value);

	@GetExchange("/list")
	Seen list(@RequestParam List<String> values);

	@GetExchange("/optional-list")
	Seen optionalList(@RequestParam(required = false) @Nullable List<String> values);

	@GetExchange("/array")
	Seen array(@RequestParam String[] values);

	@GetExchange("/numbers")
	Seen numbers(@RequestParam int[] values);

	@GetExchange("/set")
	Seen set(@RequestParam Set<Colour> values);

	@GetExchange("/collection")
	Seen collection(@RequestParam Collection<String> values);

	@GetExchange("/params")
	Seen params(@RequestParam Map<String, String> values);

	@GetExchange("/multi-params")
	Seen multiParams(@RequestParam MultiValueMap<String, String> values);

	@GetExchange("/nullable")
	Seen nullable(@RequestParam(required = false) @Nullable String value,
			@RequestParam(required = false) @Nullable Integer number);

	@GetExchange("/default")
	Seen withDefault(@RequestParam(defaultValue = "seven") @Nullable String value,
			@RequestParam(defaultValue = "7") @Nullable Integer number);

	@GetExchange("/optional")
	Seen optional(@RequestParam Optional<String> value, @RequestParam Optional<Integer> number);

	@GetExchange("/typed")
	Seen typed(@RequestParam UUID id, @RequestParam Colour colour, @RequestParam boolean flag,
			@RequestParam long number, @RequestParam BigDecimal decimal, @RequestParam char letter);

	@GetExchange("/times")
	Seen times(@RequestParam Instant instant, @RequestParam Duration duration);

	@GetExchange("/plain-dates")
	Seen plainDates(@RequestParam LocalDate day, @RequestParam LocalDateTime moment);

	@GetExchange("/iso-dates")
	Seen isoDates(@RequestParam @DateTimeFormat(iso = DateTimeFormat.ISO.DATE) LocalDate day,
			@RequestParam @DateTimeFormat(iso = DateTimeFormat.ISO.DATE_TIME) LocalDateTime moment);

	@GetExchange("/sku")
	Seen sku(@RequestParam Sku sku);

	@GetExchange("/header")
	Seen header(@RequestHeader("X-Kit-Value") String value);

	@GetExchange("/headers")
	Seen headers(@RequestHeader("X-Kit-Values") List<String> values);

	@GetExchange("/header-default")
	Seen headerDefault(@RequestHeader(name = "X-Kit-Value", defaultValue = "seven") @Nullable String value);

	@GetExchange("/header-optional")
	Seen headerOptional(@RequestHeader("X-Kit-Value") Optional<String> value);

	@GetExchange("/header-map")
	Seen headerMap(@RequestHeader Map<String, String> values);

	@HttpExchange(method = "GET", url = "/header-fixed", headers = "X-Kit-Fixed=always")
	Seen headerFixed(@RequestHeader(name = "X-Kit-Fixed", required = false) @Nullable String value);

	@GetExchange("/header-ambient")
	Seen headerAmbient(@RequestHeader(name = "X-Kit-Ambient", required = false) @Nullable String value);

	@GetExchange("/cookie")
	Seen cookie(@CookieValue("kit") String value, @CookieValue(name = "other", required = false) @Nullable String other,
			@CookieValue(name = "third", defaultValue = "third") @Nullable String third);

	@GetExchange("/attribute")
	Seen attribute(@RequestAttribute(name = "kit-attribute", required = false) @Nullable String value);

	@PostExchange("/body")
	Seen body(@RequestBody Named body);

	@PostExchange("/optional-body")
	Seen optionalBody(@RequestBody(required = false) @Nullable Named body);

	@PostExchange(url = "/form", contentType = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
	Seen form(@RequestBody MultiValueMap<String, String> form);

	@PostExchange(url = "/multipart", contentType = MediaType.MULTIPART_FORM_DATA_VALUE)
	Seen multipart(@RequestPart("meta") Named meta, @RequestPart("file") Resource file);

	@HttpExchange(url = "/method")
	Seen method(HttpMethod method, @RequestParam String value);

	@PostExchange("/everything/{id}")
	Seen everything(@PathVariable long id, @RequestParam List<Colour> colours,
			@RequestHeader("X-Kit-Value") String header, @CookieValue("kit") String cookie, @RequestBody Named body);

	/**
	 * Arguments that the controller saw.
	 *
	 * @param parts one line for each argument, with its type where that is in question
	 */
	record Seen(List<String> parts) {

	}

	/** A body. */
	record Named(@Nullable String name, int count) {

	}

	/** An enum whose text is not its name. */
	enum Colour {

		RED, GREEN, BLUE;

		@Override
		public String toString() {
			return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
		}

	}

	/** A type that needs a converter at both ends. */
	record Sku(String maker, int number) {

	}

}
