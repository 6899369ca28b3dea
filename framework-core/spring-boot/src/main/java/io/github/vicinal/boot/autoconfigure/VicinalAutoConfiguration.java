package io.github.vicinal.boot.autoconfigure;

import java.nio.file.Path;
import java.util.List;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;

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

	private static final Logger logger = LoggerFactory.getLogger(VicinalAutoConfiguration.class);

	@Bean
	PropertyNames vicinalPropertyNames(ApplicationContext context) {
		return new PropertyNames(context);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Rendezvous vicinalRendezvous(VicinalProperties properties) {
		Rendezvous rendezvous = Rendezvous.open(properties.rendezvous().directory());
		if (!rendezvous.passedOver().isEmpty()) {
			logger.warn(
					"{}. Used instead: {}. Applications that use another directory do not share paths with this one",
					String.join("; ", rendezvous.passedOver()),
					rendezvous.directory().map(Path::toString).orElse("none"));
		}
		return rendezvous;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	PeerIdentity vicinalPeerIdentity(Rendezvous rendezvous) {
		return PeerIdentity.create(rendezvous.hostId());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	CurrentIdentity vicinalCurrentIdentity(ObjectProvider<PeerIdentity> identity,
			ObjectProvider<Rendezvous> rendezvous) {
		return new CurrentIdentity(identity, rendezvous);
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

}
