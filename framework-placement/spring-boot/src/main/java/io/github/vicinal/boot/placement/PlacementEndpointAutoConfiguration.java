package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.sources.InstanceSource;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * Auto-configuration of {@link PlacementEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { VicinalAutoConfiguration.class, ChannelClientAutoConfiguration.class },
		afterName = "io.github.vicinal.boot.server.ServiceAutoConfiguration")
@ConditionalOnClass({ ConditionalOnAvailableEndpoint.class, InstanceSource.class, MeterRegistry.class })
@ConditionalOnBean(PeerIdentity.class)
@ConditionalOnAvailableEndpoint(PlacementEndpoint.class)
@EnableConfigurationProperties(PlacementProperties.class)
@ImportRuntimeHints(PlacementEndpointAutoConfiguration.Hints.class)
public final class PlacementEndpointAutoConfiguration {

	/**
	 * Beans that find instances. No {@code Supplier}: Spring Cloud Stream takes beans of
	 * that type for functions of the application.
	 */
	interface Instances {

		List<URI> get();

	}

	@Bean
	LocalInstance vicinalPlacementLocalInstance(PlacementProperties properties, PeerIdentity identity,
			Environment environment, ObjectProvider<ClientChannels> channels, ObjectProvider<Exchanges> exchanges,
			ObjectProvider<MeterRegistry> meters, ObjectProvider<BalancedNames> balanced,
			ObjectProvider<PathMappedEndpoints> endpoints) {
		return new LocalInstance(environment.getProperty("spring.application.name", "application"), identity,
				properties.host(), properties.zone(), channels::getIfAvailable, () -> {
					Exchanges known = exchanges.getIfAvailable();
					return (known != null) ? known.report() : null;
				}, meters::getIfAvailable, (names) -> {
					BalancedNames known = balanced.getIfAvailable();
					return (known != null) ? known.addresses(names) : Map.of();
				}, () -> actuator(endpoints.getIfAvailable()));
	}

	/** Returns the paths of the actuator, which may be anywhere, also at the root. */
	private static Collection<String> actuator(@Nullable PathMappedEndpoints endpoints) {
		if (endpoints == null) {
			return List.of("/actuator");
		}
		Set<String> paths = new TreeSet<>(endpoints.getAllPaths());
		paths.addAll(endpoints.getAdditionalPaths(WebServerNamespace.SERVER, EndpointId.of("health")));
		if (!endpoints.getBasePath().isEmpty()) {
			paths.add(endpoints.getBasePath());
		}
		return paths;
	}

	@Bean
	@ConditionalOnMissingBean
	PlacementService vicinalPlacementService(PlacementProperties properties, LocalInstance local,
			ResourceLoader resources, ObjectProvider<Instances> found, ObjectProvider<MergeChecker> merges) {
		Supplier<List<URI>> addresses = () -> {
			List<URI> all = new ArrayList<>(properties.addresses());
			found.orderedStream().forEach((more) -> all.addAll(more.get()));
			return all;
		};
		return new PlacementService(properties, model(properties, resources), local, addresses,
				merges.getIfAvailable(() -> ApplicationFiles.of(properties.applications(), properties.accept(),
						properties.ports(), properties.savedByJvmSharing().toMegabytes())));
	}

	private static @Nullable PlacementModel model(PlacementProperties properties, ResourceLoader resources) {
		String location = properties.model();
		if (location == null) {
			return null;
		}
		String property = "%s.model is '%s'".formatted(PlacementProperties.PREFIX, location);
		Resource resource = resources.getResource(location);
		try {
			return new ModelJson().read(resource.getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new InvalidPlacementException("%s, which cannot be read: %s".formatted(property, ex.getMessage()),
					"Name a file that exists, as in file:/etc/shop.json, or leave it out");
		}
		catch (InvalidModelException ex) {
			throw new InvalidPlacementException("%s, which is no model: %s".formatted(property, ex.getMessage()),
					"Correct it; 'vicinal-placement solve --model' says the same without starting the application");
		}
	}

	@Bean
	@ConditionalOnMissingBean
	PlacementEndpoint vicinalPlacementEndpoint(PlacementService service) {
		return new PlacementEndpoint(service);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = PlacementEndpoint.class, exposure = EndpointExposure.WEB)
	PlacementViewsEndpointExtension vicinalPlacementViewsEndpointExtension(PlacementEndpoint endpoint) {
		return new PlacementViewsEndpointExtension(endpoint);
	}

	@Bean
	@ConditionalOnMissingBean
	KnownMembersAdvisor vicinalPlacementKnownMembersAdvisor() {
		return new KnownMembersAdvisor();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(DiscoveryClient.class)
	@ConditionalOnProperty(name = PlacementProperties.PREFIX + ".discovery")
	static class Discovery {

		@Bean
		Instances vicinalDiscoveredInstances(ObjectProvider<DiscoveryClient> client) {
			return () -> {
				DiscoveryClient known = client.getIfAvailable();
				return (known != null) ? new DiscoveredInstances(known).get() : List.of();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(DiscoveryClient.class)
	static class Names {

		@Bean
		BalancedNames vicinalBalancedNames(ObjectProvider<DiscoveryClient> client) {
			return (names) -> {
				DiscoveryClient known = client.getIfAvailable();
				return (known != null) ? new DiscoveredNames(known).addresses(names) : Map.of();
			};
		}

	}

	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/github/vicinal/boot/placement/placement.html");
			hints.resources().registerPattern("io/github/vicinal/boot/placement/placement.css");
			hints.resources().registerPattern("io/github/vicinal/boot/placement/placement.js");
			hints.resources().registerPattern("io/github/vicinal/boot/placement/dagre.min.js");
		}

	}

}
