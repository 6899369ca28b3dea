package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.boot.client.InvalidChannelException;

/** Explains mistakes in the configuration of channels. */
final class InvalidChannelFailureAnalyzer extends RemedyFailureAnalyzer<InvalidChannelException> {

	InvalidChannelFailureAnalyzer() {
		super(InvalidChannelException::action);
	}

}
