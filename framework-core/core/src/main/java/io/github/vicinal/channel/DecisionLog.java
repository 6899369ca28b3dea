package io.github.vicinal.channel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.report.ChannelReport.PathDecision;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest decisions between the paths to one peer. Thread-safe; its own lock is taken
 * last.
 */
final class DecisionLog {

	private static final Logger logger = LoggerFactory.getLogger(Channel.class);

	private static final int MAX_DECISIONS_KEPT = 20;

	private static final String CHEAPER = "calls over it were measured to be cheaper";

	private final Channel channel;

	private final Peer peer;

	private final Deque<PathDecision> decisions = new ArrayDeque<>();

	/** Why the peer itself opens or closes paths, while it does; guarded by its lock. */
	private @Nullable String cause;

	DecisionLog(Channel channel, Peer peer) {
		this.channel = channel;
		this.peer = peer;
	}

	/**
	 * Runs an action that makes the selector decide, and gives the reason.
	 * @param why the reason of decisions during the action
	 * @param action opens or closes a path; the peer's lock is held
	 */
	void because(String why, Runnable action) {
		this.cause = why;
		action.run();
		this.cause = null;
	}

	/** Adds a decision that concerns a direct path. */
	void decided(PathKind from, PathKind to, String why) {
		keep(new PathDecision(this.channel.now(), from.id(), to.id(), "all calls", why, null, null, 0, 0));
	}

	/** Called by the selector, on the thread that made it decide, outside of its lock. */
	void decided(PathSelector.PathSwitch change) {
		Decision decision = change.decision();
		Double from = micros(decision.costFrom());
		Double to = micros(decision.costTo());
		double gain = (from != null && to != null) ? from - to : 0;
		String known = Thread.holdsLock(this.peer) ? this.cause : null;
		PathDecision kept = new PathDecision(this.channel.now(), decision.from(), decision.to(), change.calls(),
				(known != null) ? known : why(decision), from, to, gain, decision.pairs());
		keep(kept);
		if (known == null) {
			logger.info("Channel '{}' -> {}: {} -> {} for {} ({}; cost {} -> {} us, {} pairs compared)",
					this.channel.settings().name(), this.peer.address(), kept.from(), kept.to(), kept.calls(),
					kept.why(), round(decision.costFrom()), round(decision.costTo()), decision.pairs());
		}
	}

	private synchronized void keep(PathDecision decision) {
		if (this.decisions.size() == MAX_DECISIONS_KEPT) {
			this.decisions.removeFirst();
		}
		this.decisions.addLast(decision);
	}

	synchronized List<PathDecision> latest() {
		return List.copyOf(this.decisions);
	}

	/** Returns why HTTP is in use although another path is open. */
	synchronized String whyHttp() {
		Iterator<PathDecision> latest = this.decisions.descendingIterator();
		while (latest.hasNext()) {
			PathDecision decision = latest.next();
			if (decision.to().equals(PathKind.HTTP.id())) {
				return (decision.gainMicros() > 0) ? CHEAPER : decision.why();
			}
		}
		return CHEAPER;
	}

	private static String why(Decision decision) {
		return switch (decision.kind()) {
			case GAIN -> decision.to() + " was cheaper in pairs of calls";
			case LOSS -> decision.from() + " was not cheaper in its trial";
			case FAILURE -> "most calls over " + decision.from() + " failed";
			case OPENED -> decision.to() + " is open and its back-off is over";
			case DEGRADED -> decision.from() + " suddenly costs several times what it did";
			case LATE -> "calls over " + decision.from() + " are not answered";
		};
	}

	static @Nullable Double micros(double nanos) {
		return Double.isNaN(nanos) ? null : nanos / 1e3;
	}

	private static String round(double nanos) {
		return Double.isNaN(nanos) ? "?" : String.format(Locale.ROOT, "%.1f", nanos / 1e3);
	}

}
