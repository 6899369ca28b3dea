package io.github.vicinal.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.vicinal.boot.placement.InvalidPlacementException;

/** Explains mistakes in the configuration of placement. */
final class InvalidPlacementFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPlacementException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidPlacementException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
	}

}
