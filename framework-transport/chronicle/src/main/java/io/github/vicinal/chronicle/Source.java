package io.github.vicinal.chronicle;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * Supplies one thread of a subscription with messages, of which it has one or a batch at
 * a time. Not thread-safe.
 */
interface Source {

	/**
	 * Takes the next message; returns {@code null} if there is none now. Messages that
	 * were taken before and are not handled are of the same batch.
	 */
	DurableLog.@Nullable Entry next();

	/** Returns whether the message that was taken last may have been handled before. */
	boolean isRedelivered();

	/**
	 * Notes that messages are handled.
	 * @param count number of them, the first ones of those that were taken and not
	 * handled
	 */
	void handled(int count);

	/** Gives the messages that were taken and not handled back. */
	void giveBack();

	/** Looks whether somebody has died. */
	void look();

	/** Returns whether a message that is appended may be one for this thread. */
	boolean isReading();

	/** Returns whether others compete for its messages. */
	boolean isShared();

	/** Returns whether there are messages that it has not returned. */
	boolean isBehind();

	/** Ends it, and gives away what it has. */
	void close();

	/** All messages, with a position that is stored. */
	static Source consumer(OpenTopic topic, String name, Alive alive) {
		ConsumerPosition position = topic.position(name);
		DurableLog.Tail tail = topic.log().tail();
		return new Source() {

			private boolean owned;

			// Indexes of messages that were taken and not handled.
			private final Deque<Long> taken = new ArrayDeque<>();

			private boolean redelivered;

			@Override
			public DurableLog.@Nullable Entry next() {
				DurableLog.Entry entry = this.owned ? tail.next() : null;
				if (entry != null) {
					this.taken.add(entry.index());
					this.redelivered = position.begin(entry.index());
				}
				return entry;
			}

			@Override
			public boolean isRedelivered() {
				return this.redelivered;
			}

			@Override
			public void handled(int count) {
				for (int i = 1; i < count; i++) {
					this.taken.remove();
				}
				position.handled(this.taken.remove());
			}

			@Override
			public void giveBack() {
				// The position says that they were begun and not handled.
			}

			@Override
			public boolean isReading() {
				return this.owned;
			}

			@Override
			public boolean isShared() {
				return false;
			}

			@Override
			public boolean isBehind() {
				return this.owned && topic.log().lastIndex() > tail.position();
			}

			@Override
			public void look() {
				if (!this.owned && position.own(alive)) {
					this.owned = true;
					tail.after(position.handled());
				}
			}

			@Override
			public void close() {
				if (this.owned) {
					position.release(alive);
				}
				tail.close();
			}

		};
	}

	/** Messages that no other subscriber of the stream takes. */
	static Source stream(OpenTopic topic) {
		StreamClaims claims = topic.claims();
		DurableLog.Tail tail = topic.log().tail();
		return new Source() {

			// Claims of messages that were taken and not handled.
			private final Deque<StreamClaims.Claim> taken = new ArrayDeque<>();

			@Override
			public DurableLog.@Nullable Entry next() {
				// A batch leaves as many slots to other subscribers as it may take.
				StreamClaims.Claim next = claims.claim(tail, this.taken.isEmpty() ? 0 : StreamClaims.SLOTS / 2);
				if (next == null) {
					return null;
				}
				this.taken.add(next);
				return next.entry();
			}

			@Override
			public boolean isRedelivered() {
				return this.taken.getLast().redelivered();
			}

			@Override
			public void handled(int count) {
				for (int i = 0; i < count; i++) {
					claims.handled(this.taken.remove());
				}
			}

			@Override
			public void giveBack() {
				while (!this.taken.isEmpty()) {
					claims.giveBack(this.taken.remove());
				}
			}

			@Override
			public boolean isReading() {
				return true;
			}

			@Override
			public boolean isShared() {
				return true;
			}

			@Override
			public boolean isBehind() {
				return claims.isIdle() && topic.log().lastIndex() > claims.last();
			}

			@Override
			public void look() {
				claims.sweep();
			}

			@Override
			public void close() {
				tail.close();
			}

		};
	}

	/** All messages from a place on, with no stored position. */
	static Source replay(OpenTopic topic, long before) {
		DurableLog.Tail tail = topic.log().tail();
		tail.after(before);
		return new Source() {

			@Override
			public DurableLog.@Nullable Entry next() {
				return tail.next();
			}

			@Override
			public boolean isRedelivered() {
				return false;
			}

			@Override
			public void handled(int count) {
				// Nothing is stored.
			}

			@Override
			public void giveBack() {
				// Nothing is stored.
			}

			@Override
			public boolean isReading() {
				return true;
			}

			@Override
			public boolean isShared() {
				return false;
			}

			@Override
			public boolean isBehind() {
				return topic.log().lastIndex() > tail.position();
			}

			@Override
			public void look() {
				// No other process shares it.
			}

			@Override
			public void close() {
				tail.close();
			}

		};
	}

}
