package io.github.vicinal.channel;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;

/**
 * A call that has been sent over HTTP. It is in flight until {@link #end} or
 * {@link #repeated}, one of which must follow, once. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class CallOverHttp {

	private final PathStatistics statistics;

	/** The selector's number of HTTP. */
	private final int http;

	/**
	 * Selector at the start of the call; {@code null} if no other path could have carried
	 * it.
	 */
	private final @Nullable PathSelector selector;

	private final ContractMethod method;

	private final long expected;

	private final int ticket;

	/** Service time that the peer claims; 0 if it did not say. */
	private long serviceNanos;

	CallOverHttp(PathStatistics statistics, int http, @Nullable PathSelector selector, ContractMethod method,
			long expected) {
		this.statistics = statistics;
		this.http = http;
		this.selector = selector;
		this.method = method;
		this.expected = expected;
		this.ticket = (selector != null) ? selector.begin(http, method.index(), expected) : PathSelector.UNTIMED;
	}

	/** Says that the client sends the request again, which is a call of its own. */
	public void repeated() {
		if (this.selector != null) {
			this.selector.end(this.http, this.ticket, false);
			this.selector.passed(this.http, this.expected);
		}
	}

	/**
	 * Notes how long the call waited and ran at the peer, before it ends. Without it,
	 * HTTP is not compared with other paths.
	 * @param nanos the time that the peer claims, in nanoseconds; may be any number
	 */
	public void served(long nanos) {
		this.serviceNanos = nanos;
	}

	/**
	 * Notes that the call has ended: answered, failed or given up.
	 * @param nanos how long it took
	 * @param status the status of the answer, 0 if there was none
	 * @param comparable whether what it took can be compared with what it would have
	 * taken over another path; a redirect that was followed cannot
	 */
	public void end(long nanos, int status, boolean comparable) {
		this.statistics.count();
		if (status == 0) {
			this.statistics.error();
		}
		else {
			this.statistics.time(nanos);
		}
		if (this.selector == null) {
			return;
		}
		this.selector.end(this.http, this.ticket, status != 0);
		if (status == 0 || !PeerCalls.showsCost(status) || !comparable) {
			this.selector.passed(this.http, this.expected);
		}
		else if (this.ticket != PathSelector.UNTIMED) {
			this.selector.record(this.http, this.method.index(), this.expected, this.expected, this.method.idempotent(),
					nanos, this.serviceNanos, System.nanoTime());
		}
	}

}
