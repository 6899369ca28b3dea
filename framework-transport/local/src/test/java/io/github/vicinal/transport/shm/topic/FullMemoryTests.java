package io.github.vicinal.transport.shm.topic;

import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.WhenFull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Memory that is full or read-only: refused with the reason, and well afterwards. */
@Timeout(60)
class FullMemoryTests {

	private static final TopicSettings<byte[]> NUMBERS = TopicFixture.bytes(TopicModel.STREAM, 64 << 10, WhenFull.FAIL);

	private Path directory;

	@BeforeEach
	void mount() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/tmp"), "v",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Assumptions.assumeTrue(
				run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", this.directory.toString()) == 0,
				"needs the right to mount a tmpfs");
	}

	@AfterEach
	void unmount() throws Exception {
		run("umount", "-l", this.directory.toString());
		Files.delete(this.directory);
	}

	private static int run(String... command) throws Exception {
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start()
			.waitFor();
	}

	private Path fill(int left) throws Exception {
		FileStore store = Files.getFileStore(this.directory);
		return Files.write(this.directory.resolve("other"), new byte[(int) store.getUsableSpace() - left]);
	}

	@Test
	void aFullMemoryIsRefusedAndTopicsGoOnWhenThereIsRoom() throws Exception {
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop");
				ShmTopics desk = TopicFixture.topics(this.directory, "desk")) {
			Topic<byte[]> topic = shop.topic(NUMBERS);
			Path other = fill(40 << 10);
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[10]))
				.withMessageContaining("Topic 'numbers' has no shared memory: ")
				.withMessageContaining("KiB left, of which");
			assertThat(topic.report().refused()).isEqualTo(1);
			Files.delete(other);
			topic.publish(new byte[10]);
			other = fill(0);
			topic.publish(new byte[10]);
			AtomicInteger received = new AtomicInteger();
			Subscription subscription = desk.subscribe(NUMBERS, SubscriberSettings.of("desk"),
					(message) -> received.incrementAndGet());
			TopicFixture.await(() -> subscription.report()
				.publishers()
				.values()
				.stream()
				.anyMatch((state) -> state.startsWith("refused: ") && state.contains("KiB left, of which")));
			Files.delete(other);
			TopicFixture.await(() -> received.get() == 2);
			assertThat(topic.report().published()).isEqualTo(2);
		}
		try (var left = Files.list(this.directory)) {
			assertThat(left.map((file) -> String.valueOf(file.getFileName())).toList())
				.isEqualTo(List.of("host-token"));
		}
	}

	/** Otherwise its messages would go nowhere, and only the log would say so. */
	@Test
	void aPublisherFailsWhileThereIsNoMemoryForTheOnlySubscriber() throws Exception {
		TopicSettings<byte[]> settings = TopicSettings.of("news", TopicModel.PUB_SUB, byte[].class)
			.withCapacity(64 << 10);
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop");
				ShmTopics desk = TopicFixture.topics(this.directory, "desk")) {
			Topic<byte[]> topic = shop.topic(settings);
			topic.publish(new byte[1]);
			Path other = fill(40 << 10);
			AtomicInteger received = new AtomicInteger();
			Subscription subscription = desk.subscribe(settings, SubscriberSettings.of("desk"),
					(message) -> received.incrementAndGet());
			TopicFixture.await(() -> subscription.report()
				.publishers()
				.values()
				.stream()
				.anyMatch((state) -> state.startsWith("refused: ")));
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[2]))
				.withMessageContaining("Topic 'news' has no shared memory: ");
			Files.delete(other);
			AtomicInteger published = new AtomicInteger();
			TopicFixture.await(() -> {
				try {
					topic.publish(new byte[3]);
					published.incrementAndGet();
				}
				catch (TopicException ex) {
					// The subscriber has not come again.
				}
				return received.get() > 0;
			});
			TopicFixture.await(() -> received.get() == published.get());
		}
	}

	@Test
	void aReadOnlyMemoryIsRefused() throws Exception {
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop")) {
			assertThat(run("mount", "-o", "remount,ro", this.directory.toString())).isZero();
			assertThatExceptionOfType(TopicsUnavailableException.class).isThrownBy(() -> shop.topic(NUMBERS))
				.withMessageStartingWith("Topics cannot be used: ")
				.withMessageContaining("Read-only file system");
			assertThat(run("mount", "-o", "remount,rw", this.directory.toString())).isZero();
			shop.topic(NUMBERS).publish(new byte[10]);
		}
	}

}
