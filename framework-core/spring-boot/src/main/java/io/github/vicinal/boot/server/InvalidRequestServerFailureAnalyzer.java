package io.github.vicinal.boot.server;

import io.github.vicinal.boot.autoconfigure.RemedyFailureAnalyzer;
import io.github.vicinal.requestserver.InvalidSettingException;

/** Explains impossible settings of a request server. */
final class InvalidRequestServerFailureAnalyzer extends RemedyFailureAnalyzer<InvalidSettingException> {

	InvalidRequestServerFailureAnalyzer() {
		super((cause) -> "Property vicinal.server.requests.%s: %s.".formatted(cause.setting(), cause.remedy()));
	}

}
