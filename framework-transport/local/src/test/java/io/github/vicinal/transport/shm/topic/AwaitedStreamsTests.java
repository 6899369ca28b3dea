package io.github.vicinal.transport.shm.topic;

import java.util.Set;

import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AwaitedStreamsTests {

	private final AwaitedStreams awaited = new AwaitedStreams(TopicGrants.all());

	@Test
	void aStreamIsAwaitedUntilItsLastSubscriberLeaves() {
		AwaitedStreams.Waiting first = this.awaited.begin("jobs", TopicModel.STREAM, "billing");
		AwaitedStreams.Waiting second = this.awaited.begin("jobs", TopicModel.STREAM, "billing");
		Set<String> names = this.awaited.names();
		first.close();
		assertThat(this.awaited.names()).containsExactly("jobs").isSameAs(names);
		second.close();
		assertThat(this.awaited.names()).isEmpty();
	}

	@Test
	void nobodyAwaitsATopicThatIsNoStream() {
		AwaitedStreams.Waiting waiting = this.awaited.begin("news", TopicModel.PUB_SUB, "billing");
		assertThat(this.awaited.names()).isEmpty();
		waiting.close();
		assertThat(this.awaited.names()).isEmpty();
	}

}
