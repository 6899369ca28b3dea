package io.github.vicinal.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.report.ChannelReport.CodecReport;
import io.github.vicinal.report.ChannelReport.CostReport;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.selection.CallSizeClass;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;

/** Describes one peer for people. Used for one report, under the peer's lock. */
final class PeerReporter {

	private final Channel channel;

	private final PathOrder order;

	private final Peer peer;

	private final PeerConnector connector;

	private final PathSelector selector;

	private final DecisionLog decisions;

	private final @Nullable CallPath current;

	private final PathKind inUse;

	PeerReporter(Channel channel, Peer peer, PeerConnector connector, PathSelector selector, DecisionLog decisions) {
		this.channel = channel;
		this.order = channel.order();
		this.peer = peer;
		this.connector = connector;
		this.selector = selector;
		this.decisions = decisions;
		this.current = peer.current();
		this.inUse = (this.current != null) ? this.current.kind() : PathKind.HTTP;
	}

	PeerReport report() {
		CallPath path = this.current;
		List<PathReport> reports = new ArrayList<>();
		for (PathKind kind : this.channel.kinds()) {
			reports.add(report(kind));
		}
		CodecReport codec = (path != null) ? new CodecReport(path.codec().codec().name(), path.codec().reason()) : null;
		String reason = (path != null) ? this.inUse.reach().words()
				: this.connector.isOpen() ? this.decisions.whyHttp() : this.connector.reasonForHttp();
		PeerAnnouncement announcement = this.peer.announcement();
		return new PeerReport(this.peer.address(), (announcement != null) ? announcement.peer().instanceId() : null,
				this.inUse.id(), reason + otherSizes(), codec, reports, this.decisions.latest());
	}

	private String otherSizes() {
		StringBuilder text = new StringBuilder();
		if (!this.peer.isDirect() && this.peer.hasPath()) {
			int last = this.order.number(this.inUse);
			for (int i = 1; i < CallSizeClass.COUNT; i++) {
				int number = this.selector.current(CallSizeClass.largest(i));
				if (number != last && number >= 0) {
					text.append("; calls above %d KiB take %s".formatted(CallSizeClass.largest(i - 1) >> 10,
							this.order.kind(number).id()));
					last = number;
				}
			}
		}
		return text.toString();
	}

	private PathReport report(PathKind kind) {
		PathStatistics counted = this.peer.statistics(kind);
		CallPath path = this.connector.open(kind);
		String state;
		String reason = "";
		if (kind.equals(this.inUse)) {
			state = "in use";
		}
		else if (!this.order.allows(kind)) {
			state = "unavailable";
			reason = PeerConnector.NOT_ALLOWED;
		}
		else if (kind.equals(PathKind.HTTP) || path != null) {
			PathSelector.PathCost known = this.selector.cost(this.order.number(kind));
			state = known.late() ? "late" : known.onTrial() ? "on trial" : "standby";
			reason = known.late() ? "calls over it are not answered"
					: known.onTrial() ? "it failed, and its back-off is not over" : this.inUse.id() + " is better";
		}
		else if (this.connector.isConnecting()) {
			state = "connecting";
		}
		else {
			state = "unavailable";
			reason = Objects.requireNonNullElseGet(this.connector.reason(kind), this::whyNotTried);
		}
		return new PathReport(kind.id(), state, reason, counted.calls(), counted.errors(),
				counted.latency().quantileNanos(0.5) / 1e3, counted.latency().quantileNanos(0.99) / 1e3,
				(path != null) ? path.bytesCarried() : 0, cost(kind), (path != null) ? path.details() : Map.of());
	}

	private String whyNotTried() {
		return this.inUse.equals(PathKind.HTTP) ? this.connector.reasonForHttp()
				: "not tried: " + this.inUse.id() + " is better";
	}

	private @Nullable CostReport cost(PathKind kind) {
		PathSelector.PathCost known = this.order.allows(kind) ? this.selector.cost(this.order.number(kind)) : null;
		if (known == null || Double.isNaN(known.fixedNanos())) {
			return null;
		}
		return new CostReport(known.fixedNanos() / 1e3, known.nanosPerByte(), known.peakNanos() / 1e3,
				DecisionLog.micros(known.cpuNanos()));
	}

}
