package io.github.vicinal.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.vicinal.boot.client.InvalidChannelException;

/** Explains mistakes in the configuration of channels. */
final class InvalidChannelFailureAnalyzer extends AbstractFailureAnalyzer<InvalidChannelException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidChannelException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
	}

}
