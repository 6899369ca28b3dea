package io.github.vicinal.stream;

/**
 * Properties of a producer binding that other binders do not have. Public for a
 * {@code NewDestinationBindingCallback}, which sets them for destinations of a
 * {@code StreamBridge}.
 *
 * @since 0.1.0
 */
public final class VicinalProducerProperties {

	/**
	 * Whether the destination is one stream for all consumers, as for listeners of topics
	 * with the model STREAM.
	 */
	private boolean singleStream;

	/**
	 * Returns whether the destination is one stream for all consumers.
	 * @return whether it is
	 */
	public boolean isSingleStream() {
		return this.singleStream;
	}

	/**
	 * Sets whether the destination is one stream for all consumers.
	 * @param singleStream whether it is
	 */
	public void setSingleStream(boolean singleStream) {
		this.singleStream = singleStream;
	}

}
