package io.github.vicinal.boot;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** A controller as most are: without an interface, and with classes of its own. */
@RestController
@RequestMapping("/orders")
class PurchaseController {

	final AtomicInteger calls = new AtomicInteger();

	@GetMapping("/{number}")
	Purchase get(@PathVariable long number) {
		this.calls.incrementAndGet();
		LinkedHashMap<String, BigDecimal> prices = new LinkedHashMap<>(
				Map.of("pear", new BigDecimal("12.500"), "kiwi", new BigDecimal("1E+3")));
		return new Purchase(number,
				(number % 2 == 0) ? List.of(new Row(3, "pear"), new Row(0, "\u00e4\uD83D\uDE00")) : null,
				(number % 3 == 0) ? null : Stage.PAID, Instant.parse("2026-01-02T03:04:05.123456789Z"), prices,
				new UUID(number, 7));
	}

	@GetMapping
	Collection<Purchase> find(@RequestParam("owner") String holder, @RequestParam(required = false) Integer limit,
			@RequestHeader("x-tenant") String tenant) {
		this.calls.incrementAndGet();
		List<Purchase> all = List.of(get(holder.length()), get(tenant.length()));
		return (limit != null) ? all.subList(0, limit) : all;
	}

	@PostMapping
	ResponseEntity<Purchase> save(@RequestBody Purchase purchase) {
		this.calls.incrementAndGet();
		return ResponseEntity.created(URI.create("/orders/" + purchase.id())).header("X-Saved", "yes").body(purchase);
	}

	@PutMapping("/{id}/customer")
	Buyer change(@PathVariable long id, @RequestBody Buyer buyer) {
		this.calls.incrementAndGet();
		buyer.rank = (buyer.rank != null) ? buyer.rank + 1 : null;
		return buyer;
	}

	@PutMapping("/{id}/note")
	String note(@PathVariable long id, @RequestBody String note) {
		this.calls.incrementAndGet();
		return note.isBlank() ? null : note + id;
	}

	@DeleteMapping("/{order}/lines/{line}")
	void remove(@PathVariable long order, @PathVariable int line) {
		this.calls.incrementAndGet();
	}

	@GetMapping("/fail/{how}")
	Purchase fail(@PathVariable String how) {
		this.calls.incrementAndGet();
		if (how.equals("gone")) {
			throw new ResponseStatusException(HttpStatus.GONE, "it is gone");
		}
		throw new IllegalStateException(how);
	}

	@GetMapping("/tolerant/{id}")
	Long2 tolerant(@PathVariable long id) {
		this.calls.incrementAndGet();
		return new Long2(id, "more");
	}

	@GetMapping("/paged")
	List<String> paged(@RequestParam(defaultValue = "3") int page) {
		this.calls.incrementAndGet();
		return List.of("page " + page);
	}

	@GetMapping(path = "/by-parameter", params = "mode=a")
	String a(@RequestParam String mode) {
		this.calls.incrementAndGet();
		return "a";
	}

	@GetMapping(path = "/by-parameter", params = "mode=b")
	String b(@RequestParam String mode) {
		this.calls.incrementAndGet();
		return "b";
	}

	record Purchase(long id, List<Row> lines, Stage state, Instant at, LinkedHashMap<String, BigDecimal> prices,
			UUID key) {
	}

	record Row(int count, String name) {
	}

	record Long2(long id, String more) {
	}

	enum Stage {

		OPEN, PAID

	}

	static class Buyer {

		public Integer rank;

		public String firstName;

		public Collection<String> tags;

	}

}
