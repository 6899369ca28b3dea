package io.github.vicinal.boot.feign;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.github.vicinal.channel.AffinityChannel;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.cloud.openfeign.SpringQueryMap;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.format.annotation.DateTimeFormat.ISO;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;

/** A Feign client of {@link ShelfController} with classes of its own. */
@AffinityChannel
@FeignClient(name = "shelf", path = "/shelf", url = "${shelf.url:}")
interface Shelf extends CountedShelf {

	@GetMapping("/{id}")
	View get(@PathVariable("id") long id);

	@GetMapping
	List<View> find(@RequestParam("owner") String owner, @RequestParam(required = false) @Nullable Integer limit,
			@RequestHeader("X-Tenant") String tenant);

	@GetMapping("/lists")
	Map<String, List<String>> lists(@RequestParam List<Integer> ids, @RequestParam List<String> names);

	@GetMapping("/echo")
	String echo(@RequestParam String text);

	@GetMapping("/echo/{text}/path")
	String echoPath(@PathVariable String text);

	@GetMapping("/echo-header")
	String echoHeader(@RequestHeader(name = "X-Text", required = false) @Nullable String text);

	@GetMapping("/values/{key}/{stage}")
	String values(@PathVariable UUID key, @PathVariable State stage, @RequestParam BigDecimal price,
			@RequestParam Instant at, @RequestParam boolean flag, @RequestParam double ratio);

	@GetMapping("/day")
	LocalDate day(@RequestParam @DateTimeFormat(iso = ISO.DATE) LocalDate day);

	@PostMapping
	ResponseEntity<Order> save(@RequestBody Order order);

	@PostMapping("/all")
	List<Line> saveAll(List<Line> lines);

	@PutMapping("/{id}/buyer")
	Customer change(@PathVariable long id, Customer customer);

	@PatchMapping("/{id}/buyer")
	Customer patch(@PathVariable long id, Customer customer);

	@PostMapping("/{id}/touch")
	void touch(@PathVariable long id);

	@PostMapping("/{id}/text")
	String text(@PathVariable long id, @RequestBody String text);

	@DeleteMapping("/{id}/rows/{row}")
	void remove(@PathVariable("id") long id, @PathVariable("row") int row);

	@GetMapping("/flag")
	boolean flag();

	@GetMapping("/nothing")
	@Nullable View nothing();

	@GetMapping("/empty")
	@Nullable String empty();

	@GetMapping("/bytes/{size}")
	byte[] bytes(@PathVariable int size);

	@GetMapping("/map")
	Map<String, Line> map();

	@GetMapping("/entity/{status}")
	ResponseEntity<Line> entity(@PathVariable int status);

	@GetMapping("/see/{status}")
	void see(@PathVariable int status);

	@PostMapping("/see/{status}")
	void seeOther(@PathVariable int status);

	@GetMapping("/fail/{status}")
	View fail(@PathVariable int status);

	@PostMapping("/fail/{status}")
	View failPost(@PathVariable int status, Line line);

	@GetMapping("/broken")
	View broken();

	@GetMapping("/problem")
	Map<String, Object> problem();

	@GetMapping("/own-error")
	View ownError();

	@GetMapping("/later/{key}")
	String later(@PathVariable String key);

	@GetMapping("/slow")
	String slow(@RequestParam int millis);

	/** The server's record has a component more. */
	@GetMapping("/tolerant/{id}")
	Short tolerant(@PathVariable long id);

	@GetMapping("/mapped")
	Map<String, String> mapped(@RequestParam Map<String, String> all);

	@GetMapping("/mapped")
	Map<String, String> queried(@SpringQueryMap Line line);

	@GetMapping("/optional/{id}")
	Optional<Line> optional(@PathVariable int id);

	@GetMapping(value = "/echo", params = "text=fixed")
	String fixed();

	default String twice(String text) {
		return echo(text) + echo(text);
	}

	record View(Map<String, BigDecimal> prices, UUID key, @Nullable State stage, long id, @Nullable List<Part> rows,
			Instant at, LocalDate day) {
	}

	record Part(String name, int count) {
	}

	record Order(long id, @Nullable List<Line> rows, @Nullable State stage, @Nullable Instant at,
			@Nullable Map<String, BigDecimal> prices, @Nullable UUID key, @Nullable LocalDate day) {
	}

	record Line(int count, String name) {
	}

	record Short(long id) {
	}

	enum State {

		OPEN, PAID

	}

	class Customer {

		private @Nullable Integer rank;

		private @Nullable String firstName;

		private @Nullable List<String> tags;

		public @Nullable Integer getRank() {
			return this.rank;
		}

		public void setRank(@Nullable Integer rank) {
			this.rank = rank;
		}

		public @Nullable String getFirstName() {
			return this.firstName;
		}

		public void setFirstName(@Nullable String firstName) {
			this.firstName = firstName;
		}

		public @Nullable List<String> getTags() {
			return this.tags;
		}

		public void setTags(@Nullable List<String> tags) {
			this.tags = tags;
		}

		@Override
		public String toString() {
			return this.firstName + this.tags + this.rank;
		}

	}

}
