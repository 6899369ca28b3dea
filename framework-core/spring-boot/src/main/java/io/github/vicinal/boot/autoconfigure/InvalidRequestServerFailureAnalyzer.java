package io.github.vicinal.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.github.vicinal.requestserver.InvalidSettingException;

/** Explains impossible settings of a request server. */
final class InvalidRequestServerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Property vicinal.server.requests.%s: %s.".formatted(cause.setting(), cause.remedy()), cause);
	}

}
