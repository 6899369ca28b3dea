package io.github.vicinal.stream;

/**
 * Properties of a producer binding that other binders do not have.
 *
 * @since 0.1.0
 */
public final class VicinalProducerProperties {

	/**
	 * Whether the destination is one stream for all consumers, as for listeners of topics
	 * with the model STREAM.
	 */
	private boolean singleStream;

	public boolean isSingleStream() {
		return this.singleStream;
	}

	public void setSingleStream(boolean singleStream) {
		this.singleStream = singleStream;
	}

}
