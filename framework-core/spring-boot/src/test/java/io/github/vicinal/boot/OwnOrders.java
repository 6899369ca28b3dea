package io.github.vicinal.boot;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.annotation.PutExchange;

/** The client's own view of {@link PurchaseController}, which implements no interface. */
@AffinityChannel
@HttpExchange("/orders")
public interface OwnOrders {

	@GetExchange("/{id}")
	View get(@PathVariable long id);

	@GetExchange("/{id}")
	ResponseEntity<View> entity(@PathVariable("id") Long id);

	@GetExchange
	List<View> find(@RequestParam String owner, @RequestParam(required = false) Integer limit,
			@RequestHeader("X-Tenant") String tenant);

	@PostExchange
	ResponseEntity<Order> save(@RequestBody Order order);

	@PutExchange("/{id}/customer")
	Customer change(@PathVariable long id, @RequestBody Customer customer);

	@PutExchange("/{id}/note")
	String note(@PathVariable long id, @RequestBody String note);

	@DeleteExchange("/{id}/lines/{line}")
	void remove(@PathVariable("id") long id, @PathVariable("line") int line);

	@GetExchange("/fail/{how}")
	Order fail(@PathVariable String how);

	/** The server's record has a component more. */
	@GetExchange("/tolerant/{id}")
	Short tolerant(@PathVariable long id);

	/** The server's parameter has a default value. */
	@GetExchange("/paged")
	List<String> paged(@RequestParam int page);

	/** The server is mapped by a parameter, too. */
	@GetExchange("/by-parameter")
	String byParameter(@RequestParam String mode);

	/** A result, whose properties may come in any order. */
	record View(Map<String, BigDecimal> prices, UUID key, State state, long id, List<Part> lines, Instant at) {
	}

	record Part(String name, int count) {
	}

	/** A body, whose properties come in the order of the server. */
	record Order(long id, List<Line> lines, State state, Instant at, Map<String, BigDecimal> prices, UUID key) {
	}

	record Line(int count, String name) {
	}

	record Short(long id) {
	}

	enum State {

		OPEN, PAID

	}

	/** No record, so it travels as JSON. */
	class Customer {

		private String firstName;

		private List<String> tags;

		private Integer rank;

		public String getFirstName() {
			return this.firstName;
		}

		public void setFirstName(String firstName) {
			this.firstName = firstName;
		}

		public List<String> getTags() {
			return this.tags;
		}

		public void setTags(List<String> tags) {
			this.tags = tags;
		}

		public Integer getRank() {
			return this.rank;
		}

		public void setRank(Integer rank) {
			this.rank = rank;
		}

		@Override
		public String toString() {
			return this.firstName + this.tags + this.rank;
		}

	}

}
