package io.github.vicinal.transport.shm.topic;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;

import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.transport.wire.SocketFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** A link that is closed while it connects ends, whatever the publisher does. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublisherLinkTests {

	private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
	}

	@AfterEach
	void leaveNothing() throws Exception {
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	@Test
	void aLinkThatIsClosedBeforeItHasAConnectionEnds() throws Exception {
		Path socket = SocketFile.of(this.directory, INSTANCE, SocketFile.TOPICS);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "reader");
				ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			silent.bind(UnixDomainSocketAddress.of(socket));
			PublisherLink<String> link = new PublisherLink<>(subscription(), INSTANCE, topics);
			link.close();
			link.start();
			link.awaitEnd();
			assertThat(link.isOver()).isTrue();
			assertThat(link.isAttached()).isFalse();
		}
		finally {
			Files.deleteIfExists(socket);
		}
	}

	@Test
	void aLinkThatIsClosedWhileItWaitsForTheTopicEnds() throws Exception {
		Path socket = SocketFile.of(this.directory, INSTANCE, SocketFile.TOPICS);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "reader");
				ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			silent.bind(UnixDomainSocketAddress.of(socket));
			PublisherLink<String> link = new PublisherLink<>(subscription(), INSTANCE, topics);
			link.start();
			TopicFixture.await(() -> link.state().startsWith("waits"));
			link.close();
			link.awaitEnd();
			assertThat(link.isOver()).isTrue();
		}
		finally {
			Files.deleteIfExists(socket);
		}
	}

	/** Its handler would be called after closing it has returned. */
	@Test
	void aSubscriptionThatIsClosedGetsNoLink() throws Exception {
		try (ShmTopics topics = TopicFixture.topics(this.directory, "reader")) {
			ShmSubscription<String> closed = subscription();
			closed.close();
			topics.link(closed, INSTANCE);
			assertThat(closed.links()).isEmpty();
		}
	}

	private static ShmSubscription<String> subscription() {
		TopicSettings<String> settings = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		BiFunction<String, Runnable, Thread> threads = (name, task) -> new Thread(task, name);
		return new ShmSubscription<>(settings, SubscriberSettings.of("reader"), (message) -> {
		}, MessageCodec.of(String.class, JsonMapper.builder().build()), (closed) -> {
		}, (ended) -> {
		}, threads);
	}

}
