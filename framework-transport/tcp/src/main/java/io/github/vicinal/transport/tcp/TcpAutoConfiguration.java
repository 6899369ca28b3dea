package io.github.vicinal.transport.tcp;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;

/**
 * Auto-configuration of the path {@code tcp}, which has to be asked for.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration")
@ConditionalOnProperty("vicinal.tcp.enabled")
@ConditionalOnBean(Codecs.class)
public final class TcpAutoConfiguration {

	private final TcpOptions options;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	TcpAutoConfiguration(Environment environment) {
		TcpOptions defaults = TcpOptions.defaults();
		this.options = defaults.listeningOn(environment.getProperty("vicinal.tcp.address", defaults.address()),
				environment.getProperty("vicinal.tcp.port", Integer.class, defaults.port()));
	}

	@Bean
	@ConditionalOnMissingBean
	TcpOptions vicinalTcpOptions() {
		return this.options;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TcpPathProvider vicinalTcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options) {
		return new TcpPathProvider(identity, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TcpPathServer vicinalTcpPathServer(PeerIdentity identity, ServiceRegistry services, TcpOptions options) {
		return new TcpPathServer(identity, services, options);
	}

}
