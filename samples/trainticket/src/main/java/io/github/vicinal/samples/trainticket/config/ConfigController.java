package io.github.vicinal.samples.trainticket.config;

import io.github.vicinal.samples.trainticket.common.Problems;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link ConfigApi}.
 */
@RestController
class ConfigController implements ConfigApi {

	private final ConfigStore configs;

	ConfigController(ConfigStore configs) {
		this.configs = configs;
	}

	@Override
	public ConfigEntry config(String name) {
		return this.configs.byName(name).orElseThrow(() -> Problems.notFound("config", name));
	}

}
