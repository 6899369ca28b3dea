package io.github.vicinal.stream;

import java.util.Map;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.cloud.stream.config.BindingHandlerAdvise.MappingsProvider;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of what the application's own context needs for the binder: defaults
 * of its binding properties.
 *
 * @since 0.1.0
 */
@AutoConfiguration
public final class VicinalStreamAutoConfiguration {

	@Bean
	static MappingsProvider vicinalExtendedPropertiesDefaultMappingsProvider() {
		return () -> Map.of(ConfigurationPropertyName.of(VicinalExtendedBindingProperties.BINDINGS),
				ConfigurationPropertyName.of(VicinalExtendedBindingProperties.DEFAULTS));
	}

}
