package io.github.vicinal.boot.cache;

import io.github.vicinal.boot.autoconfigure.RemedyFailureAnalyzer;
import io.github.vicinal.cache.InvalidCacheException;

/** Explains mistakes in the configuration of caches. */
final class InvalidCacheFailureAnalyzer extends RemedyFailureAnalyzer<InvalidCacheException> {

	InvalidCacheFailureAnalyzer() {
		super((cause) -> "Set %s to a value that is allowed: %s".formatted(cause.property(), cause.allowed()));
	}

}
