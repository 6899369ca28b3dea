package io.github.vicinal.requestserver;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.requestserver.PermitQueue.Entry;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests come, wait, give up and end in any order of their steps: each is notified once
 * what became of it, and no permit is free while somebody waits, or lost.
 */
@Timeout(120)
@Tag("deep")
class PermitQueueInterleavingTests {

	@Test
	void byTurns() {
		new ModelCheckingOptions().iterations(5)
			.invocationsPerIteration(100)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(1)
			.actorsAfter(0)
			.check(Requests.class);
	}

	@Test
	void atOnce() {
		new StressOptions().iterations(10)
			.invocationsPerIteration(500)
			.threads(3)
			.actorsPerThread(3)
			.actorsBefore(1)
			.actorsAfter(0)
			.check(Requests.class);
	}

	/**
	 * Requests for one permit, which end when they get it. One that pauses lets others
	 * run meanwhile, and may run beside another one when it goes on.
	 */
	public static class Requests {

		private final PermitQueue queue = new PermitQueue(RequestServerSettings.of("test", new Threads.Fixed(1)),
				() -> 0);

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		private final AtomicInteger atOnce = new AtomicInteger();

		private final AtomicInteger goingOn = new AtomicInteger();

		private final AtomicInteger tooMany = new AtomicInteger();

		@Operation
		public void request() {
			enter();
		}

		@Operation
		public void requestThatGivesUp() {
			One ticket = enter();
			if (ticket != null && this.queue.withdraw(ticket, Reason.DEADLINE) != null) {
				ticket.end();
			}
		}

		@Operation
		public void requestThatPauses() {
			this.begun.incrementAndGet();
			One ticket = new One();
			Entry entry = this.queue.tryEnter() ? Entry.GRANTED : this.queue.enter(ticket);
			if (entry == Entry.GRANTED) {
				if (!this.queue.mayPause()) {
					throw new IllegalStateException("the queue is open");
				}
				work(this.queue.pause());
				this.goingOn.incrementAndGet();
				this.queue.resume();
				work(ticket);
				this.goingOn.decrementAndGet();
			}
		}

		/** Returns a ticket that may be waiting. */
		private One enter() {
			this.begun.incrementAndGet();
			One ticket = new One();
			Entry entry = this.queue.tryEnter() ? Entry.GRANTED : this.queue.enter(ticket);
			if (entry == Entry.GRANTED) {
				work(ticket);
				return null;
			}
			return ticket;
		}

		private void work(Ticket first) {
			for (Ticket ticket = first; ticket != null; ticket = this.queue.leave(List.of())) {
				if (this.atOnce.incrementAndGet() > 1 + this.goingOn.get()) {
					this.tooMany.incrementAndGet();
				}
				((One) ticket).end();
				this.atOnce.decrementAndGet();
			}
		}

		@Validate
		public void nothingIsLost() {
			String state = "running %d, waiting %d, begun %s, ended %s, too many %s".formatted(this.queue.running(),
					this.queue.waiting(), this.begun, this.ended, this.tooMany);
			if (this.queue.running() != 0 || this.queue.waiting() != 0 || this.begun.get() != this.ended.get()
					|| this.tooMany.get() != 0) {
				throw new IllegalStateException(state);
			}
		}

		private final class One extends Ticket {

			private final AtomicInteger ends = new AtomicInteger();

			One() {
				super("test", List.of(), Priority.NORMAL, NO_DEADLINE);
			}

			void end() {
				Requests.this.ended.addAndGet((this.ends.incrementAndGet() == 1) ? 1 : 1_000);
			}

			@Override
			void granted() {
				throw new IllegalStateException("a request that gave its permit away was notified by itself");
			}

			@Override
			void rejected(Rejection rejection) {
				throw new IllegalStateException(rejection.message());
			}

		}

	}

}
