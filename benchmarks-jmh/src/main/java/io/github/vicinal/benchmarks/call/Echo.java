package io.github.vicinal.benchmarks.call;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** The contract that is called: it returns what it gets. */
@AffinityChannel
@HttpExchange("/echo")
public interface Echo {

	/**
	 * Returns a value that holds a list, which a call inside one JVM has to copy.
	 * @param order the value
	 * @return the value
	 */
	@PostExchange("/order")
	Order order(@RequestBody Order order);

	/**
	 * Returns a deeply immutable value, which may be passed by reference.
	 * @param note the value
	 * @return the value
	 */
	@PostExchange("/note")
	Note note(@RequestBody Note note);

	/**
	 * About 1 KB as JSON, or a multiple.
	 *
	 * @param id a number
	 * @param customer a name
	 * @param lines ten lines
	 * @param comment a text
	 */
	record Order(long id, String customer, List<Line> lines, String comment) {

		static Order sample() {
			return sample(1);
		}

		/**
		 * Returns an example.
		 * @param kilobytes about how long it is as JSON
		 * @return an order with ten lines per kilobyte
		 */
		public static Order sample(int kilobytes) {
			List<Line> lines = java.util.stream.IntStream.range(0, 10 * kilobytes)
				.mapToObj((i) -> new Line("article-%04d".formatted(i), i + 1, 1999L + i))
				.toList();
			return new Order(4711, "Ann Example", lines, "x".repeat(420 * kilobytes));
		}

	}

	/**
	 * One line of an order.
	 *
	 * @param article its article
	 * @param count number of pieces
	 * @param cents the price
	 */
	record Line(String article, int count, long cents) {
	}

	/**
	 * About 1 KB as JSON, or a multiple.
	 *
	 * @param id a number
	 * @param author a name
	 * @param text a text
	 */
	record Note(long id, String author, String text) {

		static Note sample() {
			return sample(1);
		}

		/**
		 * Returns an example.
		 * @param kilobytes about how long it is as JSON
		 * @return a note with a text of that length
		 */
		public static Note sample(int kilobytes) {
			return new Note(4711, "Ann Example", "x".repeat(960 * kilobytes));
		}

	}

}
