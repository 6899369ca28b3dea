package io.github.vicinal.boot.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.github.vicinal.boot.actuate.RequestServerMetrics;
import io.github.vicinal.boot.actuate.ExchangeMetrics;
import io.github.vicinal.boot.actuate.VicinalMetrics;
import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.observation.MeterShortcut;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.ShmPathServer;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;

/**
 * Auto-configuration of meters.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { ChannelClientAutoConfiguration.class, ServiceAutoConfiguration.class })
@ConditionalOnClass({ MeterRegistry.class, UdsPathServer.class })
@ConditionalOnBean(Codecs.class)
public final class VicinalMetricsAutoConfiguration {

	private static final String SHM_SERVER = "vicinalShmPathServer";

	private static final String SHM_PROVIDER = "vicinalShmPathProvider";

	private static final String UDS_PROVIDER = "vicinalUdsPathProvider";

	private static final String UDS_SERVER = "vicinalUdsPathServer";

	@Bean
	@ConditionalOnMissingBean
	VicinalMetrics vicinalMetrics(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<ClientChannels> channels) {
		// To read a meter must not start a server.
		return new VicinalMetrics(
				Map.of("uds",
						() -> beanFactory.containsSingleton(UDS_SERVER)
								? beanFactory.getBean(UDS_SERVER, UdsPathServer.class).metrics() : null,
						"shm",
						() -> beanFactory.containsSingleton(SHM_SERVER)
								? beanFactory.getBean(SHM_SERVER, ShmPathServer.class).metrics() : null),
				channels::getIfAvailable, ServerMetrics.reasons(),
				() -> beanFactory.containsSingleton(SHM_PROVIDER)
						? beanFactory.getBean(SHM_PROVIDER, ShmPathProvider.class).violations() : null,
				Map.of("shm", Map
					.of("client", bytes(beanFactory, SHM_PROVIDER, ShmPathProvider.class, ShmPathProvider::heapBytes),
							"server", bytes(beanFactory, SHM_SERVER, ShmPathServer.class, ShmPathServer::heapBytes)),
						"uds",
						Map.of("client",
								bytes(beanFactory, UDS_PROVIDER, UdsPathProvider.class, UdsPathProvider::heapBytes),
								"server",
								bytes(beanFactory, UDS_SERVER, UdsPathServer.class, UdsPathServer::heapBytes))),
				Map.of("client", bytes(beanFactory, SHM_PROVIDER, ShmPathProvider.class, ShmPathProvider::memoryBytes),
						"server", bytes(beanFactory, SHM_SERVER, ShmPathServer.class, ShmPathServer::memoryBytes)));
	}

	private static <T> Supplier<Long> bytes(ConfigurableListableBeanFactory beanFactory, String name, Class<T> type,
			ToLongFunction<T> bytes) {
		return () -> beanFactory.containsSingleton(name) ? bytes.applyAsLong(beanFactory.getBean(name, type)) : 0L;
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RequestServer.class)
	RequestServerMetrics vicinalRequestServerMetrics(RequestServer server) {
		return new RequestServerMetrics(server);
	}

	@Bean
	MeterShortcuts vicinalMeterShortcuts(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<MeterRegistry> meters) {
		return () -> {
			ObservationRegistry observations = registry.getIfAvailable();
			MeterRegistry registered = meters.getIfAvailable();
			return (observations != null && registered != null)
					? MeterShortcut.of(observations, registered).orElse(null) : null;
		};
	}

	@Bean
	@ConditionalOnBean(Exchanges.class)
	ExchangeMetrics vicinalExchangeMetrics(Exchanges exchanges) {
		return new ExchangeMetrics(exchanges.counts());
	}

}
