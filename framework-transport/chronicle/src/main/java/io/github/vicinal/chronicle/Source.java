package io.github.vicinal.chronicle;

import org.jspecify.annotations.Nullable;

/** Supplies one thread of a subscription with messages. Not thread-safe. */
interface Source {

	/** Returns the next message, or {@code null} if there is none now. */
	@Nullable Taken next();

	/** Looks whether somebody has died. */
	void look();

	/** Returns whether there are messages that it has not returned. */
	boolean isBehind();

	/** Ends it, and gives away what it has. */
	void close();

	/**
	 * A message that is to be handled.
	 *
	 * @param entry the message
	 * @param redelivered whether it may have been handled before
	 * @param handled called when it is handled
	 * @param returned called when it is given back
	 */
	record Taken(DurableLog.Entry entry, boolean redelivered, Runnable handled, Runnable returned) {
	}

	/** All messages, with a position that is stored. */
	static Source consumer(OpenTopic topic, String name, Alive alive) {
		ConsumerPosition position = topic.position(name);
		DurableLog.Tail tail = topic.log().tail();
		return new Source() {

			private boolean owned;

			@Override
			public @Nullable Taken next() {
				if (!this.owned) {
					return null;
				}
				DurableLog.Entry entry = tail.next();
				return (entry == null) ? null
						: new Taken(entry, position.begin(entry.index()), () -> position.handled(entry.index()), () -> {
						});
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

			@Override
			public @Nullable Taken next() {
				StreamClaims.Claim claim = claims.claim(tail);
				return (claim == null) ? null : new Taken(claim.entry(), claim.redelivered(),
						() -> claims.handled(claim), () -> claims.giveBack(claim));
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
		Runnable nothing = () -> {
		};
		return new Source() {

			@Override
			public @Nullable Taken next() {
				DurableLog.Entry entry = tail.next();
				return (entry == null) ? null : new Taken(entry, false, nothing, nothing);
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
