package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.boot.topic.InvalidListenerException;

/** Explains methods that cannot be called with messages. */
final class InvalidListenerFailureAnalyzer extends RemedyFailureAnalyzer<InvalidListenerException> {

	InvalidListenerFailureAnalyzer() {
		super((cause) -> "Change the method or its annotation @AffinityListener.");
	}

}
