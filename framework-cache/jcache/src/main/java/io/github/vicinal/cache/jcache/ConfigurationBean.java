package io.github.vicinal.cache.jcache;

import javax.cache.configuration.CompleteConfiguration;
import javax.cache.management.CacheMXBean;

/** The configuration of a cache for JMX. */
final class ConfigurationBean implements CacheMXBean {

	private final CompleteConfiguration<?, ?> configuration;

	ConfigurationBean(CompleteConfiguration<?, ?> configuration) {
		this.configuration = configuration;
	}

	@Override
	public String getKeyType() {
		return this.configuration.getKeyType().getName();
	}

	@Override
	public String getValueType() {
		return this.configuration.getValueType().getName();
	}

	@Override
	public boolean isReadThrough() {
		return this.configuration.isReadThrough();
	}

	@Override
	public boolean isWriteThrough() {
		return this.configuration.isWriteThrough();
	}

	@Override
	public boolean isStoreByValue() {
		return this.configuration.isStoreByValue();
	}

	@Override
	public boolean isStatisticsEnabled() {
		return this.configuration.isStatisticsEnabled();
	}

	@Override
	public boolean isManagementEnabled() {
		return this.configuration.isManagementEnabled();
	}

}
