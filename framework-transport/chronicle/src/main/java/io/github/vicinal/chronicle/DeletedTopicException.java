package io.github.vicinal.chronicle;

import java.nio.file.Path;

import io.github.vicinal.topic.TopicException;

/** The directory of a topic is not the one that this application opened. */
final class DeletedTopicException extends TopicException {

	private static final long serialVersionUID = 1L;

	DeletedTopicException(String topic, Path directory) {
		super("The directory %s of the durable topic '%s' has been deleted or replaced since this application opened it: restart all applications of the topic, and leave its directory to them"
			.formatted(directory, topic));
	}

}
