package io.github.vicinal.observation;

import io.github.vicinal.path.PathKind;
import io.micrometer.observation.Observation;

/**
 * The context of one call over a typed path.
 *
 * @since 0.1.0
 */
public class ChannelObservationContext extends Observation.Context {

	private final String channel;

	private final PathKind path;

	private boolean answered;

	/**
	 * Creates a context.
	 * @param channel the channel's name
	 * @param path the path that carries the call
	 */
	public ChannelObservationContext(String channel, PathKind path) {
		this.channel = channel;
		this.path = path;
	}

	/**
	 * Returns the channel's name.
	 * @return the name
	 */
	public String channel() {
		return this.channel;
	}

	/**
	 * Returns the path that carries the call.
	 * @return the path
	 */
	public PathKind path() {
		return this.path;
	}

	/**
	 * Returns whether the peer has answered.
	 * @return {@code false} while the call runs, and if it ended without an answer
	 */
	public boolean isAnswered() {
		return this.answered;
	}

	/**
	 * Sets whether the peer has answered.
	 * @param answered whether it has
	 */
	public void setAnswered(boolean answered) {
		this.answered = answered;
	}

}
