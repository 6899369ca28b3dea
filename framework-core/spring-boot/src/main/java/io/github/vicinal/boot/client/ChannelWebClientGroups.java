package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ChannelGroupConfigurer.GroupSettings;
import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import io.github.vicinal.path.PathKind;

import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.HttpServiceGroup;

/**
 * Gives channels to the clients of HTTP service groups that are {@code WebClient}s; what
 * {@link ChannelGroupConfigurer} is to groups of {@code RestClient}. Their builders are
 * no beans, so {@link WebClientPostProcessor} never sees them. Loaded only where Reactor
 * and {@code WebClient} are.
 */
final class ChannelWebClientGroups implements WebClientHttpServiceGroupConfigurer {

	private final Supplier<ClientChannels> channels;

	private final GroupSettings settings;

	/** Returns the paths that exchanges may take. */
	private final Function<URI, Collection<PathKind>> exchanges;

	/**
	 * Creates the configurer.
	 * @param channels the channels
	 * @param settings what is configured of groups
	 * @param exchanges returns the paths that exchanges may take
	 */
	ChannelWebClientGroups(Supplier<ClientChannels> channels, GroupSettings settings,
			Function<URI, Collection<PathKind>> exchanges) {
		this.channels = channels;
		this.settings = settings;
		this.exchanges = exchanges;
	}

	/** The load balancer's filter, which comes before, tells ours the instance. */
	@Override
	public int getOrder() {
		return ChannelGroupConfigurer.ORDER;
	}

	@Override
	public void configureGroups(Groups<WebClient.Builder> groups) {
		groups.forEachGroup(this::configure);
	}

	private void configure(HttpServiceGroup group, WebClient.Builder client, HttpServiceProxyFactory.Builder factory) {
		ClientChannels known = this.channels.get();
		boolean balanced = this.settings.chooser() != null;
		if (!balanced && this.settings.baseUrl(group.name()) == null) {
			String first = known.firstInstance(group.name());
			if (first != null) {
				client.baseUrl(first);
			}
		}
		client.filter(ReactiveRequests.filter(known.legs(), this.exchanges));
		ClientFacts facts = new ClientFacts(group.name(), null, group.httpServiceTypes().size() == 1, CallTargets.FIXED,
				null, balanced, this.settings.timeout(group.name()), List.of());
		factory.httpRequestValuesProcessor(ChannelMark.of(known.legs()));
		factory.proxyFactoryCustomizer((proxyFactory, type) -> {
			ClientChannel channel = known.channel(type, facts);
			if (channel != null) {
				channel.client(proxyFactory);
				proxyFactory.addAdvice(0, new ChannelAdvice(channel));
			}
		});
	}

}
