package io.github.vicinal.stream;

import org.jspecify.annotations.Nullable;

/** Properties of a consumer binding that other binders do not have. */
final class VicinalConsumerProperties {

	/**
	 * Name of a stream to which messages go that could not be handled, after the last
	 * attempt. Without it they are logged and left.
	 */
	private @Nullable String deadLetter;

	/**
	 * Whether the destination is one stream for all consumers, as for dead letters and
	 * for topics with the model STREAM. Groups then mean nothing.
	 */
	private boolean singleStream;

	public @Nullable String getDeadLetter() {
		return this.deadLetter;
	}

	public void setDeadLetter(@Nullable String deadLetter) {
		this.deadLetter = deadLetter;
	}

	public boolean isSingleStream() {
		return this.singleStream;
	}

	public void setSingleStream(boolean singleStream) {
		this.singleStream = singleStream;
	}

}
