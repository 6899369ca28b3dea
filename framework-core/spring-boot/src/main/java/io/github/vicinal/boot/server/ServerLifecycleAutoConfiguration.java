package io.github.vicinal.boot.server;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.requestserver.RequestServer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the end of typed paths and request server when the application
 * stops.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnBean(Codecs.class)
public final class ServerLifecycleAutoConfiguration {

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
