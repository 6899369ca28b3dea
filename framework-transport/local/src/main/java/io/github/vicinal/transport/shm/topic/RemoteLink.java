package io.github.vicinal.transport.shm.topic;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * State of the link to a subscriber of another host, as its publisher sees it.
 * Thread-safe.
 */
final class RemoteLink {

	/** Time without a confirmation after which a subscriber may be more than slow. */
	private static final long SILENT_NANOS = Duration.ofSeconds(1).toNanos();

	private final String subscriber;

	/** Time since which a confirmation is waited for. */
	private volatile long waitingSince = System.nanoTime();

	/** Whether something was sent that is not confirmed. */
	private volatile boolean waiting;

	private volatile boolean cut;

	/** Written before {@link #cut}. */
	private volatile long cutAt;

	/**
	 * Creates the state of a link that has just been made.
	 * @param subscriber name of the subscriber and where it is
	 */
	RemoteLink(String subscriber) {
		this.subscriber = subscriber;
	}

	/** Called before something is sent. */
	void sending() {
		if (!this.waiting) {
			this.waitingSince = System.nanoTime();
			this.waiting = true;
		}
	}

	/**
	 * Called when the other side has confirmed something.
	 * @param all whether nothing is left to confirm
	 */
	void confirmed(boolean all) {
		this.waitingSince = System.nanoTime();
		this.waiting = !all;
	}

	/** Called when the link has ended although neither side has left. */
	void cut() {
		if (!this.cut) {
			this.cutAt = System.nanoTime();
			this.cut = true;
		}
	}

	/** Returns since when the link is cut, {@code null} if it is not. */
	@Nullable String cutSince() {
		return this.cut ? "the connection to '%s' broke %s ago".formatted(this.subscriber, seconds(this.cutAt)) : null;
	}

	/**
	 * Returns why the subscriber takes no messages and what to do, {@code null} if it is
	 * no more than slow.
	 */
	@Nullable String trouble() {
		if (this.cut) {
			return "the connection to subscriber '%s' broke %s ago. Its host keeps its place for a few seconds, so that nothing is lost if it connects again: restore the link, or give the topic more patience or capacity"
				.formatted(this.subscriber, seconds(this.cutAt));
		}
		if (this.waiting && System.nanoTime() - this.waitingSince > SILENT_NANOS) {
			return "subscriber '%s' has confirmed nothing for %s: its handlers hang, or its host or the link to it is down, which is noticed after vicinal.tcp.ping-interval and ping-timeout"
				.formatted(this.subscriber, seconds(this.waitingSince));
		}
		return null;
	}

	private static String seconds(long since) {
		return String.format(Locale.ROOT, "%.1f s", Math.max(0, System.nanoTime() - since) / 1e9);
	}

}
