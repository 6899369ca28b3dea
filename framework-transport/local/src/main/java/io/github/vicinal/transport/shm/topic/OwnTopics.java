package io.github.vicinal.transport.shm.topic;

import java.util.Map;
import java.util.Set;

import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/** The topics that this process publishes. Thread-safe. */
final class OwnTopics implements TopicServer.Catalogue {

	private final Map<String, LogTopic<?>> published;

	private final TopicGrants grants;

	private final String application;

	private final AwaitedStreams awaited;

	OwnTopics(Map<String, LogTopic<?>> published, TopicGrants grants, String application) {
		this.published = published;
		this.grants = grants;
		this.application = application;
		this.awaited = new AwaitedStreams(grants);
	}

	@Override
	public String application() {
		return this.application;
	}

	@Override
	public AwaitedStreams.Waiting awaits(Handshake.Request asked) {
		return awaits(asked.topic(), asked.model(), asked.application());
	}

	/** Notes that a subscriber waits for a topic of this process. */
	AwaitedStreams.Waiting awaits(String topic, TopicModel model, String by) {
		return this.awaited.begin(topic, model, by);
	}

	/** Returns the streams that are asked for and not published. */
	Set<String> awaited() {
		return this.awaited.names();
	}

	@Override
	public @Nullable LogTopic<?> find(Handshake.Request asked) throws WireException {
		return find(asked.topic(), asked.model(), asked.format(), asked.subscriber(), asked.application());
	}

	/**
	 * Returns a topic in which a subscriber may take part, {@code null} if there is none
	 * of this name.
	 */
	@Nullable LogTopic<?> find(String topic, TopicModel model, String format, String subscriber, String by) throws WireException {
		LogTopic<?> found = this.published.get(topic);
		if (found == null) {
			return null;
		}
		if (!this.grants.maySubscribe(topic, by)) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"application '%s' may not subscribe to topic '%s' of '%s': name it in vicinal.topics.named.%s.subscribers there"
						.formatted(by, topic, this.application, topic));
		}
		if (model != found.settings().model()) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"topic '%s' has the model %s at its publisher '%s', but %s at subscriber '%s' of '%s': let both name one model"
						.formatted(topic, found.settings().model(), this.application, model, subscriber, by));
		}
		if (!MessageCodec.isReadableAs(found.format(), format)) {
			throw new WireException(Refusal.SERVICE_REFUSES,
					"messages of topic '%s' are %s at its publisher '%s', but %s at subscriber '%s' of '%s': let both name one type of payload"
						.formatted(topic, found.format(), this.application, format, subscriber, by));
		}
		return found;
	}

}
