package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A publisher whose files are not what it wrote. */
@Timeout(240)
class DamagedPublisherTests {

	private static final TopicSettings<String> NEWS = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);

	private static final int MESSAGES = 200;

	private static final int ROUNDS = 30;

	@TempDir
	private Path directory;

	@Test
	void aPublisherOfADamagedQueuePublishesOrSaysWhyNot() throws Exception {
		try (DurableFixture fixture = new DurableFixture(this.directory)) {
			publish(fixture, MESSAGES);
			assertThat(rounds(fixture)).isEqualTo(ROUNDS);
		}
	}

	private static void publish(DurableFixture fixture, int messages) {
		try (ChronicleTopics topics = fixture.application("shop")) {
			Topic<String> topic = topics.topic(NEWS);
			for (int i = 0; i < messages; i++) {
				topic.publish("text " + i);
			}
		}
	}

	private int rounds(DurableFixture fixture) throws IOException {
		Path queue = this.directory.resolve("news/queue");
		Random random = new Random(43);
		int ended = 0;
		for (int round = 0; round < ROUNDS; round++) {
			List<Path> files;
			try (var all = Files.list(queue)) {
				files = all.toList();
			}
			Path file = files.get(random.nextInt(files.size()));
			byte[] before = DamagedQueueTests.damage(file, random);
			try {
				publish(fixture, 2);
			}
			catch (TopicException ex) {
				assertThat(ex).hasMessageContaining(this.directory.toString());
			}
			ended++;
			Files.write(file, before);
		}
		return ended;
	}

}
