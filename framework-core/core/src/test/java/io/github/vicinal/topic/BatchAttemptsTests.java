package io.github.vicinal.topic;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** What becomes of the messages of one batch. */
@Timeout(60)
class BatchAttemptsTests {

	private static final TopicSettings<Integer> STREAM = TopicSettings.of("numbers", TopicModel.STREAM, Integer.class);

	private static final MessageCodec<Integer> CODEC = MessageCodec.of(Integer.class, JsonMapper.builder().build());

	private final List<Integer> done = new ArrayList<>();

	private static List<Message<byte[]>> messages(int count) {
		return IntStream.range(0, count).mapToObj((i) -> message(i, Integer.toString(i))).toList();
	}

	private static Message<byte[]> message(int sequence, String payload) {
		return new Message<>("numbers", payload.getBytes(StandardCharsets.UTF_8), Map.of(), "publisher", sequence, 0,
				false);
	}

	private static SubscriberSettings attempts(int count) {
		return new SubscriberSettings("s", 1, count, Duration.ZERO, 10);
	}

	private static MessageAttempts<Integer> attempts(int count, Recorder handler) {
		return new MessageAttempts<>(STREAM, attempts(count), handler);
	}

	@Test
	void aBatchIsDoneAsAWhole() {
		Recorder handler = new Recorder((messages) -> {
		});
		MessageAttempts<Integer> attempts = attempts(1, handler);
		assertThat(attempts.handleAll(messages(3), CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0, 1, 2]");
		assertThat(this.done).containsExactly(3);
		assertThat(attempts.handled()).isEqualTo(3);
		assertThat(attempts.failed()).isZero();
	}

	@Test
	void messagesBeforeTheOneThatFailedAreDoneAndThoseBehindItAreGivenAgain() {
		Recorder handler = new Recorder((messages) -> {
			int index = messages.indexOf(2);
			if (index >= 0) {
				throw new BatchFailedException(index, new IllegalStateException("no 2"));
			}
		});
		MessageAttempts<Integer> attempts = attempts(3, handler);
		assertThat(attempts.handleAll(messages(5), CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0, 1, 2, 3, 4]", "[2, 3, 4]", "[2, 3, 4]", "failed 2 no 2",
				"[3, 4]");
		assertThat(this.done).containsExactly(2, 3, 5);
		assertThat(attempts.handled()).isEqualTo(4);
		assertThat(attempts.failed()).isEqualTo(1);
	}

	@Test
	void anyOtherExceptionMeansTheWholeBatch() {
		Recorder handler = new Recorder((messages) -> {
			throw new IllegalStateException("nothing");
		});
		MessageAttempts<Integer> attempts = attempts(2, handler);
		assertThat(attempts.handleAll(messages(3), CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0, 1, 2]", "[0, 1, 2]", "failed 0 nothing", "failed 1 nothing",
				"failed 2 nothing");
		assertThat(attempts.handled()).isZero();
		assertThat(attempts.failed()).isEqualTo(3);
	}

	/** The attempt that another message has cost does not count for those behind it. */
	@Test
	void aMessageThatFailedHasFewerAttemptsOfTheWholeBatchLeft() {
		Recorder handler = new Recorder((messages) -> {
		});
		handler.behaviour = (messages) -> {
			handler.behaviour = (rest) -> {
				handler.behaviour = (last) -> {
				};
				throw new IllegalStateException("all");
			};
			throw new BatchFailedException(1, new IllegalStateException("one"));
		};
		assertThat(attempts(2, handler).handleAll(messages(3), CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0, 1, 2]", "[1, 2]", "failed 1 all", "[2]");
		assertThat(this.done).containsExactly(1, 2, 3);
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 3, Integer.MAX_VALUE })
	void anIndexThatThereIsNotMeansTheWholeBatch(int index) {
		Recorder handler = new Recorder((messages) -> {
			throw new BatchFailedException(index, new IllegalStateException("wrong"));
		});
		assertThat(attempts(1, handler).handleAll(messages(3), CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0, 1, 2]", "failed 0 wrong", "failed 1 wrong", "failed 2 wrong");
	}

	@Test
	void anErrorIsNotAttemptedAgain() {
		Recorder handler = new Recorder((messages) -> {
			if (messages.get(0) == 0) {
				throw new BatchFailedException(1, new AssertionError("on purpose"));
			}
			throw new AssertionError("on purpose");
		});
		assertThat(attempts(9, handler).handleAll(messages(4), CODEC, this.done::add)).isTrue();
		String why = " The handler ended with an error: java.lang.AssertionError: on purpose";
		assertThat(handler.calls).containsExactly("[0, 1, 2, 3]", "failed 1" + why, "[2, 3]", "failed 2" + why,
				"failed 3" + why);
	}

	@Test
	void aPayloadThatCannotBeReadDividesTheBatch() {
		Recorder handler = new Recorder((messages) -> {
		});
		List<Message<byte[]>> messages = new ArrayList<>(messages(4));
		messages.set(1, message(1, "one"));
		MessageAttempts<Integer> attempts = attempts(1, handler);
		assertThat(attempts.handleAll(messages, CODEC, this.done::add)).isTrue();
		assertThat(handler.calls).containsExactly("[0]", "unreadable one", "[2, 3]");
		assertThat(this.done).containsExactly(1, 2, 4);
		assertThat(attempts.failed()).isEqualTo(1);
	}

	@Test
	void aHandlerOfSingleMessagesIsGivenThemOneByOne() {
		List<Integer> handled = new ArrayList<>();
		List<String> failures = new ArrayList<>();
		MessageAttempts<Integer> attempts = new MessageAttempts<>(STREAM, attempts(2), new MessageHandler<Integer>() {

			@Override
			public void handle(Message<Integer> message) {
				handled.add(message.payload());
				if (message.payload() == 1) {
					throw new IllegalStateException("no 1");
				}
			}

			@Override
			public void failed(Message<Integer> message, Exception cause) {
				failures.add(message.payload() + cause.getMessage());
			}

		});
		assertThat(attempts.handleAll(messages(3), CODEC, this.done::add)).isTrue();
		assertThat(handled).containsExactly(0, 1, 1, 2);
		assertThat(failures).containsExactly("1no 1");
	}

	@Test
	void aHandlerOfBatchesIsGivenListsOfOneMessageIfThereIsNoMaximum() {
		Recorder handler = new Recorder((messages) -> {
			if (messages.get(0) == 1) {
				throw new BatchFailedException(0, new IllegalStateException("no 1"));
			}
		});
		MessageAttempts<Integer> attempts = new MessageAttempts<>(STREAM, SubscriberSettings.of("s"), handler);
		messages(3).forEach((each) -> assertThat(attempts.handle(each, CODEC)).isTrue());
		assertThat(handler.calls).containsExactly("[0]", "[1]", "failed 1 no 1", "[2]");
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void whatIsNotDoneIsReturnedWhileTheSubscriptionCloses(TopicModel model) {
		Recorder handler = new Recorder((messages) -> {
		});
		MessageAttempts<Integer> attempts = new MessageAttempts<>(TopicSettings.of("numbers", model, Integer.class),
				new SubscriberSettings("s", 1, 3, Duration.ofHours(1), 10), handler);
		handler.behaviour = (messages) -> {
			attempts.closing();
			throw new BatchFailedException(1, new IllegalStateException("later"));
		};
		assertThat(attempts.handleAll(messages(3), CODEC, this.done::add)).isFalse();
		if (model == TopicModel.STREAM) {
			assertThat(handler.calls).containsExactly("[0, 1, 2]");
			assertThat(this.done).containsExactly(1);
		}
		else {
			assertThat(handler.calls).containsExactly("[0, 1, 2]", "failed 1 later");
			assertThat(this.done).containsExactly(1, 2);
		}
	}

	@Test
	void aHandlerMayReturnTheRestOfItsBatchWhileTheSubscriptionCloses() {
		Recorder handler = new Recorder((messages) -> {
		});
		MessageAttempts<Integer> attempts = attempts(1, handler);
		handler.behaviour = (messages) -> {
			attempts.closing();
			throw new BatchFailedException(2, new MessageReturnedException());
		};
		assertThat(attempts.handleAll(messages(3), CODEC, this.done::add)).isFalse();
		assertThat(this.done).containsExactly(2);
		assertThat(attempts.failed()).isZero();
	}

	/** Random batches, failures at random indexes. */
	@Property(tries = 500)
	void eachMessageIsDoneOnceAndInOrder(@ForAll @LongRange(min = 0, max = Long.MAX_VALUE) long seed) {
		Random random = new Random(seed);
		int count = 1 + random.nextInt(20);
		int maxAttempts = 1 + random.nextInt(4);
		Map<Integer, Integer> attempted = new HashMap<>();
		List<Integer> handled = new ArrayList<>();
		List<Integer> given = new ArrayList<>();
		Recorder handler = new Recorder((messages) -> {
			assertThat(messages)
				.isEqualTo(IntStream.range(messages.get(0), messages.get(0) + messages.size()).boxed().toList());
			switch (random.nextInt(4)) {
				case 0 -> {
					int index = random.nextInt(messages.size());
					handled.addAll(messages.subList(0, index));
					attempted.merge(messages.get(index), 1, Integer::sum);
					throw new BatchFailedException(index, new IllegalStateException("one"));
				}
				case 1 -> {
					messages.forEach((each) -> attempted.merge(each, 1, Integer::sum));
					throw new IllegalStateException("all");
				}
				default -> handled.addAll(messages);
			}
		});
		handler.onFailure = given::add;
		List<Integer> progress = new ArrayList<>();
		MessageAttempts<Integer> attempts = attempts(maxAttempts, handler);
		assertThat(attempts.handleAll(messages(count), CODEC, progress::add)).isTrue();
		assertThat(progress).isSorted().doesNotHaveDuplicates().endsWith(count);
		assertThat(handled).isSorted();
		assertThat(given).isSorted().allMatch((each) -> attempted.get(each) == maxAttempts);
		handled.forEach((each) -> assertThat(attempted.getOrDefault(each, 0)).isLessThan(maxAttempts));
		List<Integer> all = new ArrayList<>(handled);
		all.addAll(given);
		assertThat(all).containsExactlyInAnyOrderElementsOf(IntStream.range(0, count).boxed().toList());
		assertThat(attempts.handled()).isEqualTo(handled.size());
		assertThat(attempts.failed()).isEqualTo(given.size());
	}

	@Test
	void settingsHaveALimit() {
		assertThat(SubscriberSettings.of("s").maxBatch()).isOne();
		assertThat(SubscriberSettings.of("s").withMaxBatch(1024).maxBatch()).isEqualTo(1024);
		assertThatIllegalArgumentException().isThrownBy(() -> SubscriberSettings.of("s").withMaxBatch(1025))
			.withMessage("The maximum batch of subscriber 's' must be from 1 to 1024, not 1025");
		assertThatIllegalArgumentException().isThrownBy(() -> SubscriberSettings.of("s").withMaxBatch(0));
		assertThatNullPointerException().isThrownBy(() -> new BatchFailedException(0, null));
	}

	private interface Behaviour {

		void handle(List<Integer> payloads);

	}

	private static final class Recorder implements BatchHandler<Integer> {

		private final List<String> calls = new ArrayList<>();

		private Behaviour behaviour;

		private Consumer<Integer> onFailure = (payload) -> {
		};

		Recorder(Behaviour behaviour) {
			this.behaviour = behaviour;
		}

		@Override
		public void handleAll(List<Message<Integer>> messages) {
			List<Integer> payloads = messages.stream().map(Message::payload).toList();
			this.calls.add(payloads.toString());
			this.behaviour.handle(payloads);
		}

		@Override
		public void failed(Message<Integer> message, Exception cause) {
			this.calls.add("failed %d %s".formatted(message.payload(), cause.getMessage()));
			this.onFailure.accept(message.payload());
		}

		@Override
		public void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
			this.calls.add("unreadable " + new String(message.payload(), StandardCharsets.UTF_8));
		}

	}

}
