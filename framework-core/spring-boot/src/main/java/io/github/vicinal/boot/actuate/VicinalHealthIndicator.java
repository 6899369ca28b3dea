package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PathDecision;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Shows whether the request server is overloaded, and which peers have lost the path that
 * they were called over. Neither means that the application cannot work, so the status is
 * {@link #DEGRADED}, which Spring Boot leaves out where it sums up and answers with 200.
 */
class VicinalHealthIndicator implements HealthIndicator {

	/** The application works, but not as well as it could. */
	public static final Status DEGRADED = new Status("DEGRADED", "Works, but not as well as it could");

	private static final String HTTP = "http";

	private final Supplier<@Nullable RequestServer> server;

	private final Supplier<@Nullable ClientChannels> channels;

	/**
	 * Creates the indicator.
	 * @param server the application's request server, or {@code null} if it has none
	 * @param channels its channels, or {@code null} if it has no clients
	 */
	public VicinalHealthIndicator(Supplier<@Nullable RequestServer> server,
			Supplier<@Nullable ClientChannels> channels) {
		this.server = server;
		this.channels = channels;
	}

	@Override
	public Health health() {
		RequestServer requests = this.server.get();
		ClientChannels clients = this.channels.get();
		return health((requests != null) ? requests.report() : null, (clients != null) ? clients.reports() : List.of());
	}

	static Health health(@Nullable RequestServerReport requests, List<ChannelReport> channels) {
		boolean overloaded = requests != null && requests.overloaded() && requests.waiting() > 0;
		Map<String, String> lost = lostPaths(channels);
		Health.Builder health = Health.status((overloaded || !lost.isEmpty()) ? DEGRADED : Status.UP);
		if (requests != null) {
			health.withDetail("overloaded", overloaded).withDetail("waitingRequests", requests.waiting());
		}
		return health.withDetail("channels", channels.size()).withDetail("lostPaths", lost).build();
	}

	/** Returns why peers are called by HTTP that were called by another path before. */
	private static Map<String, String> lostPaths(List<ChannelReport> channels) {
		Map<String, String> lost = new TreeMap<>();
		for (ChannelReport channel : channels) {
			for (PeerReport peer : channel.peers()) {
				PathDecision latest = peer.decisions().isEmpty() ? null
						: peer.decisions().get(peer.decisions().size() - 1);
				// A switch that is to gain something is a choice, not a loss.
				if (peer.path().equals(HTTP) && latest != null && latest.to().equals(HTTP)
						&& latest.gainMicros() <= 0) {
					lost.put(channel.name() + " -> " + peer.address(), latest.from() + ": " + latest.why());
				}
			}
		}
		return lost;
	}

}
