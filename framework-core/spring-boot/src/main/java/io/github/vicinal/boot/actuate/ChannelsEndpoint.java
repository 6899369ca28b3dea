package io.github.vicinal.boot.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.boot.server.ServiceCatalog.ServiceReport;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows the channels of an application and the contracts that it offers.
 *
 * @since 0.1.0
 */
@Endpoint(id = "vicinalchannels")
public class ChannelsEndpoint {

	private final Supplier<@Nullable ClientChannels> channels;

	private final Supplier<@Nullable ServiceCatalog> services;

	private final Supplier<@Nullable ChannelReport> exchanges;

	/**
	 * Creates the endpoint.
	 * @param channels the application's channels, or {@code null} if it has no clients
	 * @param services what it offers, or {@code null} if it serves nothing
	 * @param exchanges the channel of HTTP exchanges, or {@code null} if no server was
	 * asked
	 */
	public ChannelsEndpoint(Supplier<@Nullable ClientChannels> channels, Supplier<@Nullable ServiceCatalog> services,
			Supplier<@Nullable ChannelReport> exchanges) {
		this.channels = channels;
		this.exchanges = exchanges;
		this.services = services;
	}

	/**
	 * Describes everything.
	 * @return all channels and all services
	 */
	@ReadOperation
	public ChannelsDescriptor channels() {
		ServiceCatalog catalog = this.services.get();
		return new ChannelsDescriptor(reports(), (catalog != null) ? catalog.reports() : List.of(),
				(catalog != null) ? catalog.unavailable() : Map.of(), (catalog != null) ? catalog.clients() : Map.of());
	}

	/**
	 * Describes one channel.
	 * @param name its name
	 * @return the channel, or {@code null} if there is none of that name
	 */
	@ReadOperation
	public @Nullable ChannelReport channel(@Selector String name) {
		return reports().stream().filter((report) -> report.name().equals(name)).findFirst().orElse(null);
	}

	private List<ChannelReport> reports() {
		ClientChannels known = this.channels.get();
		ChannelReport ofExchanges = this.exchanges.get();
		List<ChannelReport> reports = new ArrayList<>((known != null) ? known.reports() : List.of());
		if (ofExchanges != null) {
			reports.add(ofExchanges);
		}
		return reports;
	}

	/**
	 * Channels and services of an application.
	 *
	 * @param channels its channels, by name
	 * @param services contracts that clients have asked for
	 * @param unavailable kinds of path that are not offered to clients, and why
	 * @param clients clients that are connected, by kind of path, and how calls of theirs
	 * are waited for
	 */
	public record ChannelsDescriptor(List<ChannelReport> channels, List<ServiceReport> services,
			Map<String, String> unavailable, Map<String, List<Map<String, Object>>> clients) {
	}

}
