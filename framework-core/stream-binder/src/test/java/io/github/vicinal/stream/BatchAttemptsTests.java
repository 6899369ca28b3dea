package io.github.vicinal.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.MessageReturnedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** How often a function is given the messages of a batch, and what becomes of them. */
@Timeout(60)
class BatchAttemptsTests {

	private final List<String> calls = new ArrayList<>();

	private final List<String> recovered = new ArrayList<>();

	private ConsumerRetries retries = retries(2);

	private static ConsumerRetries retries(int maxRetries) {
		return new ConsumerRetries(
				new RetryTemplate(RetryPolicy.builder().maxRetries(maxRetries).delay(Duration.ZERO).build()));
	}

	private static List<Message<byte[]>> messages(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> MessageBuilder.withPayload(new byte[] { (byte) i }).setHeader("number", i).build())
			.toList();
	}

	private BatchAttempts attempts(int count, Consumer<List<Integer>> function) {
		return new BatchAttempts(messages(count), this.retries, (message) -> {
			List<Integer> numbers = ((List<?>) message.getPayload()).stream()
				.map((payload) -> (int) ((byte[]) payload)[0])
				.toList();
			this.calls.add(numbers.toString());
			function.accept(numbers);
		}, (message, cause) -> this.recovered.add(message.getHeaders().get("number") + " " + cause.getMessage()));
	}

	private static void fail(List<Integer> numbers, int number) {
		int index = numbers.indexOf(number);
		if (index >= 0) {
			throw new IllegalStateException("wrapped",
					new BatchFailedException(index, new IllegalStateException("no " + number)));
		}
	}

	@Test
	void eachMessageThatFailsHasAllItsAttempts() {
		attempts(5, (numbers) -> {
			fail(numbers, 1);
			fail(numbers, 3);
		}).handle(true);
		assertThat(this.calls).containsExactly("[0, 1, 2, 3, 4]", "[1, 2, 3, 4]", "[1, 2, 3, 4]", "[2, 3, 4]", "[3, 4]",
				"[3, 4]", "[4]");
		assertThat(this.recovered).containsExactly("1 wrapped", "3 wrapped");
	}

	@Test
	void anyOtherExceptionMeansTheWholeList() {
		attempts(3, (numbers) -> {
			throw new IllegalStateException("all");
		}).handle(true);
		assertThat(this.calls).containsExactly("[0, 1, 2]", "[0, 1, 2]", "[0, 1, 2]");
		assertThat(this.recovered).containsExactly("0 all", "1 all", "2 all");
	}

	@Test
	void aMessageThatThereIsNotMeansTheWholeList() {
		this.retries = retries(0);
		attempts(2, (numbers) -> {
			throw new BatchFailedException(7, new IllegalStateException("wrong"));
		}).handle(true);
		assertThat(this.calls).hasSize(1);
		assertThat(this.recovered).hasSize(2);
	}

	@Test
	void whatIsNotHandledAtTheStopIsReturned() {
		assertThatExceptionOfType(BatchFailedException.class).isThrownBy(() -> attempts(3, (numbers) -> {
			this.retries.stop();
			fail(numbers, 1);
		}).handle(true))
			.withCauseInstanceOf(MessageReturnedException.class)
			.satisfies((ex) -> assertThat(ex.index()).isOne());
		assertThat(this.calls).containsExactly("[0, 1, 2]");
		assertThat(this.recovered).isEmpty();
	}

	@Test
	void aPartitionFindsItsMessagesInTheBatch() {
		List<io.github.vicinal.topic.Message<byte[]>> batch = IntStream.range(0, 6)
			.mapToObj((i) -> new io.github.vicinal.topic.Message<>("orders", new byte[] { (byte) i },
					HeaderMapping.withPartition(Map.of(), i % 2), "publisher", i, 0, false))
			.toList();
		List<Long> given = new ArrayList<>();
		MessageHandler<byte[]> handler = new MessageHandler<>() {

			@Override
			public void handle(io.github.vicinal.topic.Message<byte[]> message) {
				given.add(message.sequence());
				if (message.sequence() == 3) {
					throw new IllegalStateException("no 3");
				}
			}

		};
		assertThatExceptionOfType(BatchFailedException.class)
			.isThrownBy(() -> new PartitionHandler(handler, 1).handleAll(batch))
			.satisfies((ex) -> assertThat(ex.index()).isEqualTo(3))
			.withRootCauseInstanceOf(IllegalStateException.class);
		assertThat(given).containsExactly(1L, 3L);
	}

}
