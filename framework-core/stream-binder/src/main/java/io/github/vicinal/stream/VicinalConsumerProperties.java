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

	/**
	 * Maximum number of messages in a list, from 1 to 1024, for functions in batch mode.
	 * A list has what is there: nobody waits for it to fill.
	 */
	private int maxBatch = 100;

	public @Nullable String getDeadLetter() {
		return this.deadLetter;
	}

	public void setDeadLetter(@Nullable String deadLetter) {
		this.deadLetter = deadLetter;
	}

	public int getMaxBatch() {
		return this.maxBatch;
	}

	public void setMaxBatch(int maxBatch) {
		this.maxBatch = maxBatch;
	}

	public boolean isSingleStream() {
		return this.singleStream;
	}

	public void setSingleStream(boolean singleStream) {
		this.singleStream = singleStream;
	}

}
