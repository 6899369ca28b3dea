package io.github.vicinal.boot.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.boot.server.CutOffLifecycle;
import io.github.vicinal.boot.server.ServerLifecycle;
import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of what clients and servers share. Everything is lazy: an
 * application without channels, which no client asks for paths, opens and starts nothing.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnProperty(name = "vicinal.enabled", matchIfMissing = true)
@EnableConfigurationProperties(VicinalProperties.class)
@ImportRuntimeHints(VicinalRuntimeHints.class)
public final class VicinalAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Rendezvous vicinalRendezvous(VicinalProperties properties) {
		return Rendezvous.open(properties.rendezvous().directory());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	PeerIdentity vicinalPeerIdentity(Rendezvous rendezvous) {
		return PeerIdentity.create(rendezvous.hostId());
	}

	/**
	 * Returns how others know this instance at the time of asking: the host id changes if
	 * another process makes the directory anew.
	 */
	static Supplier<@Nullable PeerIdentity> self(ObjectProvider<PeerIdentity> identity,
			ObjectProvider<Rendezvous> rendezvous) {
		return () -> {
			PeerIdentity made = identity.getIfAvailable();
			Rendezvous directory = (made != null) ? rendezvous.getIfAvailable() : null;
			return (made != null && directory != null) ? directory.current(made) : made;
		};
	}

	/** If there are several mappers, bodies of the others travel over HTTP. */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Codecs vicinalCodecs(VicinalProperties properties, ObjectProvider<JsonMapper> mapper) {
		return new Codecs(mapper.getIfUnique(JsonMapper::new), properties.codec().flat(),
				List.of(HttpExchanges.codec()));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ServiceRegistry vicinalServiceRegistry() {
		return new ServiceRegistry();
	}

	/** Time-outs of what there is to end: typed paths, a request server, or nothing. */
	@Bean
	@ConditionalOnMissingBean
	ServerLifecycle vicinalServerLifecycle(ApplicationContext context, Environment environment,
			ObjectProvider<LifecycleProperties> properties, ObjectProvider<ServiceCatalog> catalogs,
			ObjectProvider<RequestServer> server) {
		return new ServerLifecycle(context, () -> catalogs.orderedStream().toList(), server::getIfUnique,
				DrainTimeouts.ofPhase(environment, properties.getIfAvailable()));
	}

	@Bean
	@ConditionalOnMissingBean
	CutOffLifecycle vicinalCutOffLifecycle(ObjectProvider<ServerLifecycle> lifecycle) {
		return new CutOffLifecycle(lifecycle::getObject);
	}

}
