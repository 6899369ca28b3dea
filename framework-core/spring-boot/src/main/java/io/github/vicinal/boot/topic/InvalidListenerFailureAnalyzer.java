package io.github.vicinal.boot.topic;

import io.github.vicinal.boot.autoconfigure.RemedyFailureAnalyzer;

/** Explains methods that cannot be called with messages. */
final class InvalidListenerFailureAnalyzer extends RemedyFailureAnalyzer<InvalidListenerException> {

	InvalidListenerFailureAnalyzer() {
		super((cause) -> "Change the method or its annotation @AffinityListener.");
	}

}
