package io.github.vicinal.channel;

import java.time.Duration;
import java.util.List;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.choice.SwitchLoss;
import io.github.vicinal.choice.SwitchingRule;
import io.github.vicinal.choice.SwitchingSettings;
import io.github.vicinal.peer.PathKind;

/**
 * Compares an open path with HTTP by what calls over both cost, with the
 * {@link SwitchingRule}. Thread-safe. The cost is latency in nanoseconds.
 */
final class PathComparison {

	/** So rare that the calls over HTTP do not show in the mean of the others. */
	private static final int PROBE_INTERVAL = 1024;

	/**
	 * What moving the calls of a channel is taken to cost, until a switch is measured.
	 */
	private static final double INITIAL_LOSS_NANOS = 1e6;

	private static final int OPEN_PATH = 0;

	private static final int HTTP = 1;

	private final SwitchingRule rule;

	private final SwitchLoss loss;

	PathComparison(PathKind open, long nanos) {
		SwitchingSettings defaults = SwitchingSettings.defaults();
		this.rule = new SwitchingRule(List.of(open.id(), PathKind.HTTP.id()), INITIAL_LOSS_NANOS,
				new SwitchingSettings(defaults.hysteresis(), Duration.ofSeconds(1), defaults.maxBackOff(),
						defaults.horizon(), PROBE_INTERVAL, defaults.cleanProbes()));
		this.loss = new SwitchLoss(this.rule);
		this.rule.available(OPEN_PATH, nanos);
		this.rule.available(HTTP, nanos);
	}

	/** Returns whether the next call goes over the open path, rather than HTTP. */
	synchronized boolean choosesOpenPath(boolean idempotent, long nanos) {
		return this.rule.choose(nanos, idempotent) == OPEN_PATH;
	}

	synchronized void recordOpenPath(long cost, long nanos) {
		this.loss.record(OPEN_PATH, cost, nanos);
	}

	synchronized void recordHttp(long cost, long nanos) {
		this.loss.record(HTTP, cost, nanos);
	}

	/** Returns whether calls go over the open path, apart from probes. */
	synchronized boolean prefersOpenPath() {
		return this.rule.current() == OPEN_PATH;
	}

	synchronized List<String> decisions() {
		return this.rule.decisions().stream().map(Decision::toString).toList();
	}

}
