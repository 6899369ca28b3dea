package io.github.vicinal.chronicle;

import org.jspecify.annotations.Nullable;

/**
 * Supplies one thread of a subscription with messages, of which it has one at a time. Not
 * thread-safe.
 */
interface Source {

	/** Takes the next message; returns {@code null} if there is none now. */
	DurableLog.@Nullable Entry next();

	/** Returns whether the message that was taken may have been handled before. */
	boolean isRedelivered();

	/** Notes that the message that was taken is handled. */
	void handled();

	/** Gives the message that was taken back. */
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

			private long taken;

			private boolean redelivered;

			@Override
			public DurableLog.@Nullable Entry next() {
				DurableLog.Entry entry = this.owned ? tail.next() : null;
				if (entry != null) {
					this.taken = entry.index();
					this.redelivered = position.begin(this.taken);
				}
				return entry;
			}

			@Override
			public boolean isRedelivered() {
				return this.redelivered;
			}

			@Override
			public void handled() {
				position.handled(this.taken);
			}

			@Override
			public void giveBack() {
				// The position says that it was begun and not handled.
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

			private StreamClaims.@Nullable Claim claim;

			@Override
			public DurableLog.@Nullable Entry next() {
				StreamClaims.Claim next = claims.claim(tail);
				this.claim = next;
				return (next == null) ? null : next.entry();
			}

			@Override
			public boolean isRedelivered() {
				return this.claim != null && this.claim.redelivered();
			}

			@Override
			public void handled() {
				if (this.claim != null) {
					claims.handled(this.claim);
				}
			}

			@Override
			public void giveBack() {
				if (this.claim != null) {
					claims.giveBack(this.claim);
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
			public void handled() {
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
