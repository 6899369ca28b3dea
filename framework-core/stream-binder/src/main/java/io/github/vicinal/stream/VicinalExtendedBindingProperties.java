package io.github.vicinal.stream;

import java.util.Map;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.cloud.stream.binder.AbstractExtendedBindingProperties;
import org.springframework.cloud.stream.binder.BinderSpecificPropertiesProvider;

/**
 * Properties of bindings by their names, and of all of them below
 * {@code spring.cloud.stream.vicinal.default}.
 */
@ConfigurationProperties(VicinalExtendedBindingProperties.PREFIX)
class VicinalExtendedBindingProperties extends
		AbstractExtendedBindingProperties<VicinalConsumerProperties, VicinalProducerProperties, VicinalBindingProperties> {

	static final String PREFIX = "spring.cloud.stream.vicinal";

	static final String BINDINGS = PREFIX + ".bindings";

	static final String DEFAULTS = PREFIX + ".default";

	@Override
	public Map<String, VicinalBindingProperties> getBindings() {
		return doGetBindings();
	}

	@Override
	public String getDefaultsPrefix() {
		return DEFAULTS;
	}

	@Override
	public Class<? extends BinderSpecificPropertiesProvider> getExtendedPropertiesEntryClass() {
		return VicinalBindingProperties.class;
	}

}
