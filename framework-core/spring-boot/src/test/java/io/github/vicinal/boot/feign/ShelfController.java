package io.github.vicinal.boot.feign;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.format.annotation.DateTimeFormat.ISO;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What Feign clients of the tests call. It implements nothing. */
@RestController
@RequestMapping("/shelf")
class ShelfController {

	final AtomicInteger calls = new AtomicInteger();

	private final Map<String, AtomicInteger> attempts = new java.util.concurrent.ConcurrentHashMap<>();

	@GetMapping("/{id}")
	Item get(@PathVariable long id) {
		this.calls.incrementAndGet();
		LinkedHashMap<String, BigDecimal> prices = new LinkedHashMap<>(
				Map.of("b", new BigDecimal("12.500"), "a", new BigDecimal("1E+3")));
		return new Item(id, (id % 2 == 0) ? List.of(new Row(3, "pear"), new Row(0, "\u00e4\uD83D\uDE00")) : null,
				(id % 3 == 0) ? null : Stage.PAID, Instant.parse("2026-01-02T03:04:05.123456789Z"), prices,
				new UUID(id, 7), LocalDate.of(2026, 2, 28));
	}

	@GetMapping
	List<Item> find(@RequestParam("owner") String holder, @RequestParam(required = false) @Nullable Integer limit,
			@RequestHeader("x-tenant") String tenant) {
		this.calls.incrementAndGet();
		List<Item> all = List.of(get(holder.length()), get(tenant.length()));
		return (limit != null) ? all.subList(0, limit) : all;
	}

	@GetMapping("/lists")
	Map<String, List<String>> lists(@RequestParam List<Integer> ids, @RequestParam List<String> names) {
		this.calls.incrementAndGet();
		return Map.of("ids", ids.stream().map(String::valueOf).toList(), "names", names);
	}

	@GetMapping("/echo")
	String echo(@RequestParam String text) {
		this.calls.incrementAndGet();
		return "[" + text + "]";
	}

	@GetMapping("/echo/{text}/path")
	String echoPath(@PathVariable String text) {
		this.calls.incrementAndGet();
		return "[" + text + "]";
	}

	@GetMapping("/echo-header")
	String echoHeader(@RequestHeader(name = "X-Text", required = false) @Nullable String text) {
		this.calls.incrementAndGet();
		return "[" + text + "]";
	}

	@GetMapping("/values/{key}/{stage}")
	String values(@PathVariable UUID key, @PathVariable Stage stage, @RequestParam BigDecimal price,
			@RequestParam Instant at, @RequestParam boolean flag, @RequestParam double ratio) {
		this.calls.incrementAndGet();
		return "%s %s %s %s %s %s".formatted(key, stage, price, at, flag, ratio);
	}

	@GetMapping("/day")
	LocalDate day(@RequestParam @DateTimeFormat(iso = ISO.DATE) LocalDate day) {
		this.calls.incrementAndGet();
		return day.plusDays(1);
	}

	@PostMapping
	ResponseEntity<Item> save(@RequestBody Item item) {
		this.calls.incrementAndGet();
		return ResponseEntity.created(URI.create("/shelf/" + item.id())).header("X-Saved", "yes").body(item);
	}

	@PostMapping("/all")
	List<Row> saveAll(@RequestBody List<Row> rows) {
		this.calls.incrementAndGet();
		List<Row> all = new ArrayList<>(rows);
		all.add(new Row(rows.size(), "sum"));
		return all;
	}

	@PutMapping("/{id}/buyer")
	Buyer change(@PathVariable long id, @RequestBody Buyer buyer) {
		this.calls.incrementAndGet();
		buyer.rank = (buyer.rank != null) ? buyer.rank + 1 : null;
		return buyer;
	}

	@PatchMapping("/{id}/buyer")
	Buyer patch(@PathVariable long id, @RequestBody Buyer buyer) {
		return change(id, buyer);
	}

	@PostMapping("/{id}/touch")
	void touch(@PathVariable long id) {
		this.calls.incrementAndGet();
	}

	@PostMapping("/{id}/text")
	String text(@PathVariable long id, @RequestBody String text) {
		this.calls.incrementAndGet();
		return text + id;
	}

	@DeleteMapping("/{item}/rows/{row}")
	void remove(@PathVariable long item, @PathVariable int row) {
		this.calls.incrementAndGet();
	}

	@GetMapping("/count")
	int count() {
		this.calls.incrementAndGet();
		return 42;
	}

	@GetMapping("/flag")
	boolean flag() {
		this.calls.incrementAndGet();
		return true;
	}

	@GetMapping("/nothing")
	@Nullable Item nothing() {
		this.calls.incrementAndGet();
		return null;
	}

	@GetMapping("/empty")
	String empty() {
		this.calls.incrementAndGet();
		return "";
	}

	@GetMapping("/bytes/{size}")
	byte[] bytes(@PathVariable int size) {
		this.calls.incrementAndGet();
		byte[] bytes = new byte[size];
		java.util.Arrays.fill(bytes, (byte) 'x');
		return bytes;
	}

	@GetMapping("/map")
	Map<String, Row> map() {
		this.calls.incrementAndGet();
		return new LinkedHashMap<>(Map.of("one", new Row(1, "a")));
	}

	@GetMapping("/entity/{status}")
	ResponseEntity<Row> entity(@PathVariable int status) {
		this.calls.incrementAndGet();
		return ResponseEntity.status(status)
			.header("X-Many", "1", "2", "3")
			.header("Location", "/shelf/count")
			.body((status == 204 || status == 304) ? null : new Row(status, "row"));
	}

	@GetMapping("/see/{status}")
	ResponseEntity<Void> see(@PathVariable int status) {
		this.calls.incrementAndGet();
		return ResponseEntity.status(status).header("Location", "/shelf/echo?text=seen").build();
	}

	@PostMapping("/see/{status}")
	ResponseEntity<Void> seeOther(@PathVariable int status) {
		return see(status);
	}

	@GetMapping("/fail/{status}")
	Item fail(@PathVariable int status) {
		this.calls.incrementAndGet();
		throw new ResponseStatusException(HttpStatus.valueOf(status), "it is " + status);
	}

	@PostMapping("/fail/{status}")
	Item failPost(@PathVariable int status, @RequestBody Row row) {
		return fail(status);
	}

	@GetMapping("/broken")
	Item broken() {
		this.calls.incrementAndGet();
		throw new IllegalStateException("broken");
	}

	@GetMapping("/problem")
	ProblemDetail problem() {
		this.calls.incrementAndGet();
		return ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, "no");
	}

	@GetMapping("/own-error")
	Item ownError() {
		this.calls.incrementAndGet();
		throw new OwnException();
	}

	@GetMapping("/later/{key}")
	String later(@PathVariable String key) {
		this.calls.incrementAndGet();
		if (this.attempts.computeIfAbsent(key, (missing) -> new AtomicInteger()).incrementAndGet() < 3) {
			throw new LaterException();
		}
		return "third";
	}

	@GetMapping("/slow")
	String slow(@RequestParam int millis) throws InterruptedException {
		this.calls.incrementAndGet();
		new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
		return "slow";
	}

	@GetMapping("/tolerant/{id}")
	Wide tolerant(@PathVariable long id) {
		this.calls.incrementAndGet();
		return new Wide(id, "more");
	}

	@GetMapping("/mapped")
	Map<String, String> mapped(@RequestParam Map<String, String> all) {
		this.calls.incrementAndGet();
		return all;
	}

	@GetMapping("/optional/{id}")
	@Nullable Row optional(@PathVariable int id) {
		this.calls.incrementAndGet();
		return (id > 0) ? new Row(id, "there") : null;
	}

	@ExceptionHandler
	ResponseEntity<Map<String, String>> own(OwnException ex) {
		return ResponseEntity.status(HttpStatus.CONFLICT)
			.header("X-Reason", "own", "second")
			.body(Map.of("code", "E17"));
	}

	@ExceptionHandler
	ResponseEntity<String> later(LaterException ex) {
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).header("Retry-After", "0").body("later");
	}

	static class OwnException extends RuntimeException {

		private static final long serialVersionUID = 1;

	}

	static class LaterException extends RuntimeException {

		private static final long serialVersionUID = 1;

	}

	record Item(long id, @Nullable List<Row> rows, @Nullable Stage stage, @Nullable Instant at,
			@Nullable LinkedHashMap<String, BigDecimal> prices, @Nullable UUID key, @Nullable LocalDate day) {
	}

	record Row(int count, String name) {
	}

	record Wide(long id, String more) {
	}

	enum Stage {

		OPEN, PAID

	}

	static class Buyer {

		public @Nullable Integer rank;

		public @Nullable String firstName;

		public @Nullable List<String> tags;

	}

}
