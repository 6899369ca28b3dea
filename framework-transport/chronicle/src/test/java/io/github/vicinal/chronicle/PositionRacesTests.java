package io.github.vicinal.chronicle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Positions that several processes make, read and delete at the same time. */
@Timeout(120)
class PositionRacesTests {

	private static final TopicSettings<String> NEWS = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);

	private static final TopicSettings<String> JOBS = TopicSettings.of("jobs", TopicModel.STREAM, String.class);

	private static final long MAGIC = 0x1234;

	@TempDir
	private Path directory;

	private DurableFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new DurableFixture(this.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	@Test
	void theFileOfANewConsumerIsNeverThereWithoutItsPosition() throws Exception {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(NEWS);
		for (int i = 0; i < 50; i++) {
			topic.publish("one");
			Path file = this.directory.resolve("news/consumers/c" + i);
			CompletableFuture<Long> seen = CompletableFuture.supplyAsync(() -> {
				DurableFixture.await(() -> Files.exists(file));
				return handled(file);
			});
			Subscription subscription = topics.subscribe(NEWS, SubscriberSettings.of("c" + i), (message) -> {
			});
			assertThat(seen.get(20, TimeUnit.SECONDS)).isPositive();
			subscription.close();
		}
	}

	private static long handled(Path file) {
		try {
			ConsumerPosition position = ConsumerPosition.find(file);
			assertThat(position).isNotNull();
			return position.handled();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Otherwise a consumer that another process has just forgotten would come back. */
	@Test
	void whoOnlyReadsAPositionMakesNone() throws Exception {
		Path file = this.directory.resolve("billing");
		assertThat(ConsumerPosition.find(file)).isNull();
		assertThat(file).doesNotExist();
	}

	@Test
	void aConsumerIsKeptForOnce() {
		ChronicleTopics shop = this.fixture.application("shop");
		Topic<String> topic = shop.topic(NEWS);
		topic.publish("before");
		shop.keepFor(NEWS, "billing");
		topic.publish("one");
		ChronicleTopics second = this.fixture.application("second");
		second.keepFor(NEWS, "billing");
		assertThat(second.positions(NEWS)).singleElement()
			.satisfies((position) -> assertThat(position.lag()).isEqualTo(1));
		Subscription subscription = shop.subscribe(NEWS, SubscriberSettings.of("billing"), (message) -> {
		});
		DurableFixture.await(() -> shop.positions(NEWS).get(0).lag() == 0);
		second.keepFor(NEWS, "billing");
		assertThat(second.positions(NEWS)).singleElement().satisfies((position) -> assertThat(position.lag()).isZero());
		subscription.close();
	}

	@Test
	void whoOpensAFileThatAnotherOneMakesDoesNotClearIt() throws Exception {
		for (int round = 0; round < 500; round++) {
			Path file = this.directory.resolve("words" + round);
			CyclicBarrier barrier = new CyclicBarrier(2);
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> own(file, barrier, 2));
			own(file, barrier, 1);
			other.get(20, TimeUnit.SECONDS);
			Words words = Words.open(file, 4, MAGIC, this.directory);
			assertThat(words.get(1)).isEqualTo(1);
			assertThat(words.get(2)).isEqualTo(2);
		}
	}

	private void own(Path file, CyclicBarrier barrier, int word) {
		try {
			barrier.await();
			Words.open(file, 4, MAGIC, this.directory).set(word, word);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void whoHadAMessageBeforeAStreamWasMovedBackTakesNothingFromOthers() throws Exception {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(JOBS);
		for (int i = 1; i <= 3; i++) {
			topic.publish("job " + i);
		}
		try (Alive alive = Alive.open(this.directory);
				DurableLog log = DurableFixture.log(this.directory.resolve("jobs"), alive);
				DurableLog.Tail tail = log.tail()) {
			StreamClaims claims = StreamClaims.open(this.directory.resolve("claims"), this.directory, alive);
			StreamClaims.Claim one = claim(claims, tail);
			StreamClaims.Claim two = claim(claims, tail);
			StreamClaims.Claim three = claim(claims, tail);
			claims.handled(one);
			claims.move(one.entry().index());
			StreamClaims.Claim twoAgain = claim(claims, tail);
			StreamClaims.Claim threeAgain = claim(claims, tail);
			assertThat(twoAgain.entry().index()).isEqualTo(two.entry().index());
			assertThat(threeAgain.entry().index()).isEqualTo(three.entry().index());
			assertThat(threeAgain.slot()).isEqualTo(two.slot());
			claims.giveBack(two);
			assertThat(claims.claim(tail, 0)).isNull();
			claims.handled(two);
			claims.handled(twoAgain);
			assertThat(claims.handled()).isEqualTo(three.entry().index() - 1);
			claims.handled(threeAgain);
			assertThat(claims.handled()).isEqualTo(three.entry().index());
		}
	}

	private static StreamClaims.Claim claim(StreamClaims claims, DurableLog.Tail tail) {
		StreamClaims.Claim claim = claims.claim(tail, 0);
		assertThat(claim).isNotNull();
		return claim;
	}

}
