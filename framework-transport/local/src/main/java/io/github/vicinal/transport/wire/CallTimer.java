package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.Channel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Closes a channel when a deadline passes. One per connection; armed and disarmed by the
 * thread that uses the connection.
 */
public final class CallTimer implements Watchdog.Watched {

	private static final long EXPIRED = -1;

	private final Watchdog watchdog;

	private final Channel channel;

	private final AtomicLong deadline = new AtomicLong(Watchdog.NEVER);

	public CallTimer(Watchdog watchdog, Channel channel) {
		this.watchdog = watchdog;
		this.channel = channel;
	}

	public void begin() {
		this.watchdog.add(this);
	}

	public void end() {
		this.watchdog.remove(this);
	}

	/**
	 * Sets the deadline.
	 * @param time in the watchdog's time
	 */
	public void arm(long time) {
		long before = this.deadline.get();
		if (before != EXPIRED && this.deadline.compareAndSet(before, Math.max(time, 0))) {
			this.watchdog.lookAt(time);
		}
	}

	/**
	 * Takes the deadline back.
	 * @return {@code false} if it has passed and the channel is closed
	 */
	public boolean disarm() {
		long time = this.deadline.get();
		return time == Watchdog.NEVER || (time != EXPIRED && this.deadline.compareAndSet(time, Watchdog.NEVER));
	}

	public boolean expired() {
		return this.deadline.get() == EXPIRED;
	}

	@Override
	public long look(long now) {
		long time = this.deadline.get();
		if (time == EXPIRED) {
			return Watchdog.NEVER;
		}
		if (time > now) {
			return time;
		}
		if (!this.deadline.compareAndSet(time, EXPIRED)) {
			// The call ended in this moment; the next one may have a deadline already.
			return now;
		}
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
		return Watchdog.NEVER;
	}

}
