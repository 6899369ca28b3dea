package io.github.vicinal.chronicle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A volume that is full or read-only: refused before damage, and well when there is room.
 */
@Timeout(120)
class VolumeTests {

	private static final ChronicleOptions OPTIONS = new ChronicleOptions(RollInterval.HOUR, 1 << 30, Duration.ofDays(1),
			2 << 20, 1 << 20, Duration.ofSeconds(1), false);

	private static final TopicSettings<byte[]> NUMBERS = TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class)
		.whenFull(WhenFull.FAIL, Duration.ZERO);

	@TempDir
	private Path parent;

	private Path volume;

	private DurableFixture fixture;

	@BeforeEach
	void mount() throws Exception {
		this.volume = Files.createDirectory(this.parent.resolve("v"));
		Assumptions.assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", this.volume.toString()) == 0,
				"needs the right to mount a tmpfs");
		this.fixture = new DurableFixture(this.volume);
	}

	@AfterEach
	void unmount() throws Exception {
		if (this.fixture != null) {
			this.fixture.close();
			assertThat(run("umount", "-l", this.volume.toString())).isZero();
		}
	}

	private static int run(String... command) throws Exception {
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start()
			.waitFor();
	}

	@Test
	void aFullVolumeRefusesBeforeDamageAndGoesOnWhenThereIsRoom() throws Exception {
		ChronicleTopics topics = this.fixture.application("shop", OPTIONS);
		AtomicInteger received = new AtomicInteger();
		topics.subscribe(NUMBERS, SubscriberSettings.of("reader"), (message) -> received.incrementAndGet());
		Topic<byte[]> topic = topics.topic(NUMBERS);
		Path other = this.volume.resolve("other");
		Files.write(other, new byte[8 << 20]);
		int published = publish(topic);
		assertThat(published).isPositive();
		assertThat(Files.getFileStore(this.volume).getUsableSpace()).isGreaterThan(1 << 20);
		DurableFixture.await(() -> received.get() == published);
		Files.delete(other);
		int more = publish(topic);
		assertThat(more).isGreaterThan(published);
		DurableFixture.await(() -> received.get() == published + more);
		assertThat(topic.report().refused()).isEqualTo(2);
	}

	@Test
	void theOldestMessagesMakeRoomOnAFullVolume() {
		ChronicleOptions options = new ChronicleOptions(RollInterval.SECOND, 1 << 30, Duration.ofDays(1), 2 << 20,
				1 << 20, Duration.ofSeconds(1), false);
		TopicSettings<byte[]> settings = NUMBERS.whenFull(WhenFull.DROP_OLDEST, Duration.ZERO);
		ChronicleTopics topics = this.fixture.application("shop", options);
		topics.keepFor(settings, "away");
		Topic<byte[]> topic = topics.topic(settings);
		for (int files = 0; files < 8; files++) {
			for (int i = 0; i < 300; i++) {
				topic.publish(new byte[10_000]);
			}
			long second = System.currentTimeMillis() / 1000;
			DurableFixture.await(() -> System.currentTimeMillis() / 1000 > second);
		}
		assertThat(topic.report().published()).isEqualTo(8 * 300);
		assertThat(topic.report().refused()).isZero();
		assertThat(topic.report().dropped()).isBetween(3 * 300L, 6 * 300L);
		AtomicInteger received = new AtomicInteger();
		topics.subscribe(settings, SubscriberSettings.of("away"), (message) -> received.incrementAndGet());
		DurableFixture.await(() -> received.get() >= 8 * 300 - topic.report().dropped());
		assertThat(topic.report().backlogMessages()).isZero();
	}

	private int publish(Topic<byte[]> topic) {
		int published = 0;
		while (published < 10_000) {
			try {
				topic.publish(new byte[10_000]);
				published++;
			}
			catch (TopicFullException ex) {
				assertThat(ex).hasMessageContaining("The durable topic 'numbers' has no room: the volume of")
					.hasMessageContaining("it keeps 2097152 free");
				return published;
			}
		}
		return published;
	}

	@Test
	void aTopicThatHasNoRoomAtAllIsNotOpened() throws Exception {
		Files.write(this.volume.resolve("other"), new byte[14 << 20]);
		ChronicleTopics topics = this.fixture.application("shop", OPTIONS);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NUMBERS))
			.withMessageContaining("The durable topic 'numbers' cannot be opened: ")
			.withMessageContaining("set vicinal.topics.durable.min-free");
	}

	@Test
	void aReadOnlyVolumeIsRefused() throws Exception {
		assertThat(run("mount", "-o", "remount,ro", this.volume.toString())).isZero();
		ChronicleTopics topics = this.fixture.application("shop", OPTIONS);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NUMBERS))
			.withMessageContaining("must be a directory that this process may write to")
			.withMessageContaining("Read-only file system");
	}

}
