package io.github.vicinal.boot.topic;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedRuntimeException;

/**
 * Explains topics that cannot be published or subscribed to when an application starts.
 * Failures in an application that has started are the application's own.
 */
final class TopicFailureAnalyzer extends AbstractFailureAnalyzer<TopicException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, TopicException cause) {
		// Of beans and of the lifecycle.
		if (!(rootFailure instanceof NestedRuntimeException)) {
			return null;
		}
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Change what the description names: the topic's declaration here or in the other application, its properties (vicinal.topics.*), or its directory.",
				cause);
	}

}
