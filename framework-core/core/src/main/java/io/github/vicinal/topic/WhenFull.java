package io.github.vicinal.topic;

/**
 * Treatment of a message for which there is no room because subscribers are slow.
 *
 * @since 0.1.0
 */
public enum WhenFull {

	/** The publishing thread waits, for as long as the settings allow. */
	BLOCK,

	/**
	 * The oldest messages make room. A slow or stopped subscriber loses messages, which
	 * are counted, and slows nobody.
	 */
	DROP_OLDEST,

	/** The message is refused at once. */
	FAIL

}
