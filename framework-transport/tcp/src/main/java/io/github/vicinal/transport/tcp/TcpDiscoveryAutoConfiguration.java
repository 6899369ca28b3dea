package io.github.vicinal.transport.tcp;

import java.util.List;
import java.util.Locale;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of what a server of the path {@code tcp} tells a service registry of
 * Spring Cloud: where it listens. Without TLS it tells nothing, because clients would not
 * connect.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = TcpAutoConfiguration.class,
		afterName = { "io.github.vicinal.boot.server.ServiceAutoConfiguration",
				"io.github.vicinal.boot.server.ReactiveServerAutoConfiguration" })
@ConditionalOnClass(InstancePreRegisteredEvent.class)
@ConditionalOnBean(value = TcpOptions.class, type = "io.github.vicinal.boot.server.ServiceCatalog")
@ConditionalOnProperty(name = "vicinal.tcp.discovery-metadata", matchIfMissing = true)
public final class TcpDiscoveryAutoConfiguration {

	private static final String PATHS = "vicinal.server.paths";

	@Bean
	ApplicationListener<InstancePreRegisteredEvent> vicinalTcpRegistration(ObjectProvider<TcpPathServer> server,
			Environment environment) {
		List<String> paths = Binder.get(environment).bind(PATHS, Bindable.listOf(String.class)).orElse(List.of("tcp"));
		boolean offered = paths.stream()
			.anyMatch((path) -> path.strip().toLowerCase(Locale.ROOT).equals(TcpPathProvider.KIND.id()));
		return new DiscoveryRegistration(server::getObject, offered);
	}

}
