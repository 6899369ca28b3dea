package io.github.vicinal.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.vicinal.cache.InvalidCacheException;

/** Explains mistakes in the configuration of caches. */
final class InvalidCacheFailureAnalyzer extends AbstractFailureAnalyzer<InvalidCacheException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidCacheException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Set %s to a value that is allowed: %s".formatted(cause.property(), cause.allowed()), cause);
	}

}
