package io.github.vicinal.boot.kit.security;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;
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
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;

/** Contract that the arrangements guard. */
@AffinityChannel
@HttpExchange("/vault")
interface Vault {

	@GetExchange("/open")
	String open();

	@GetExchange("/{owner}/accounts/{id}")
	Account account(@PathVariable String owner, @PathVariable long id);

	@GetExchange("/search")
	List<String> search(@RequestParam String text, @RequestParam(required = false) @Nullable String scope);

	@GetExchange("/tenant")
	String tenant(@RequestHeader(name = "X-Tenant", required = false) @Nullable String tenant);

	@GetExchange("/me")
	String me(@RequestHeader(name = "Authorization", required = false) @Nullable String authorization);

	@GetExchange("/admin")
	String admin(@RequestHeader(name = "Authorization", required = false) @Nullable String authorization);

	@GetExchange("/guarded/{owner}")
	Account guarded(@PathVariable String owner,
			@RequestHeader(name = "Authorization", required = false) @Nullable String authorization);

	@GetExchange("/returned/{owner}")
	Account returned(@PathVariable String owner,
			@RequestHeader(name = "Authorization", required = false) @Nullable String authorization);

	@PostExchange("/notes")
	ResponseEntity<Note> add(@RequestBody Note note,
			@RequestHeader(name = "X-Signature", required = false) @Nullable String signature);

	@PutExchange("/notes/{id}")
	Note change(@PathVariable long id, @RequestBody Note note);

	@DeleteExchange("/notes/{id}")
	void remove(@PathVariable long id);

	@GetExchange("/failing")
	@Nullable String failing(@RequestParam String how);

	@GetExchange("/visit")
	ResponseEntity<String> visit(@RequestHeader(name = "Cookie", required = false) @Nullable String cookie);

	@PostExchange("/visit")
	ResponseEntity<String> post(@RequestHeader(name = "Cookie", required = false) @Nullable String cookie,
			@RequestHeader(name = "X-XSRF-TOKEN", required = false) @Nullable String token);

	@GetExchange("/cross")
	ResponseEntity<String> cross(@RequestHeader(name = "Origin", required = false) @Nullable String origin);

	@GetExchange("/items/{id}/{kind}")
	ResponseEntity<List<Item>> items(@PathVariable long id, @PathVariable Kind kind, @RequestParam List<String> tags,
			@RequestParam(required = false) @Nullable Integer limit, @RequestParam String how,
			@RequestHeader(name = "X-Trace", required = false) @Nullable String trace);

	@PostExchange("/items")
	Item save(@RequestBody Item item, @RequestParam String how);

	@PutExchange("/items/{id}")
	void replace(@PathVariable long id, @RequestBody List<Item> items, @RequestParam String how);

	@PostExchange(url = "/texts", contentType = "text/plain;charset=UTF-8")
	@Nullable String text(@RequestBody String text, @RequestParam String how);

	@GetExchange("/jar")
	@Nullable String jar(@CookieValue(required = false) @Nullable String kit, @RequestParam String how);

	@GetExchange("/numbers")
	List<Double> numbers(@RequestParam Double[] values, @RequestParam boolean negative, @RequestParam String how);

	/** A kind. */
	enum Kind {

		SMALL, LARGE

	}

	/** An item. */
	record Item(@Nullable String name, Kind kind, List<String> tags, @Nullable Double price) {
	}

	/** An account. */
	record Account(String owner, long id) {
	}

	/** A note. */
	record Note(long id, String text) {
	}

}
