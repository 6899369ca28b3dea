package io.github.vicinal.boot.autoconfigure;

/** Explains mistakes in the configuration of channels. */
final class InvalidChannelFailureAnalyzer extends RemedyFailureAnalyzer<InvalidChannelException> {

	InvalidChannelFailureAnalyzer() {
		super(InvalidChannelException::action);
	}

}
