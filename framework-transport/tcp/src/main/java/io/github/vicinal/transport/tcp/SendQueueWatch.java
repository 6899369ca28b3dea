package io.github.vicinal.transport.tcp;

import java.util.concurrent.TimeUnit;

/**
 * Finds out whether one connection keeps calls waiting: whether frames wait to be sent
 * behind others for long, again and again. That is so whatever is the bottleneck, the
 * event loop that writes, encrypts and reads, or the socket. One large frame delays
 * nobody but those behind it, and one caller after the other never waits for another, so
 * neither counts. Used by one event loop.
 */
final class SendQueueWatch {

	/** Time behind others from which a frame counts as delayed. */
	static final long DELAY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

	/** Length of a window. */
	static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Number of windows in a row in which frames must be delayed. */
	static final int WINDOWS = 3;

	/**
	 * Minimum number of frames of such a window. Fewer are either few calls, or so large
	 * that the network is what they wait for.
	 */
	static final int MIN_FRAMES = 8;

	private long start;

	private int frames;

	private int delayed;

	/** Number of windows in a row that were congested. */
	private int congested;

	/**
	 * Creates a watch.
	 * @param now the time, of {@link System#nanoTime}
	 */
	SendQueueWatch(long now) {
		this.start = now;
	}

	/**
	 * Notes that the kernel has taken a frame.
	 * @param behindOthers whether others waited to be sent when the frame came
	 * @param waitedNanos time for which it has waited
	 * @param now the time, of {@link System#nanoTime}
	 * @return whether the connection is the bottleneck; at most once in {@value #WINDOWS}
	 * windows
	 */
	boolean sent(boolean behindOthers, long waitedNanos, long now) {
		boolean bottleneck = false;
		if (now - this.start >= WINDOW_NANOS) {
			// A window without any frame says that the other side reads none.
			boolean next = now - this.start < 2 * WINDOW_NANOS;
			this.congested = (next && this.frames >= MIN_FRAMES && 2 * this.delayed >= this.frames) ? this.congested + 1
					: 0;
			bottleneck = this.congested == WINDOWS;
			this.congested %= WINDOWS;
			this.start = now;
			this.frames = 0;
			this.delayed = 0;
		}
		this.frames++;
		if (behindOthers && waitedNanos >= DELAY_NANOS) {
			this.delayed++;
		}
		return bottleneck;
	}

}
