package io.github.vicinal.samples.trainticket.config;

import java.util.Map;
import java.util.Optional;

/**
 * The named values.
 */
class ConfigStore {

	private final Map<String, ConfigEntry> byName;

	ConfigStore(ConfigEntry entry) {
		this.byName = Map.of(entry.name(), entry);
	}

	Optional<ConfigEntry> byName(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	/**
	 * The only row of the original.
	 * @return a store with the seed data
	 */
	static ConfigStore seeded() {
		return new ConfigStore(new ConfigEntry(ConfigApi.DIRECT_TICKET_SHARE, "0.5",
				"Share of the seats for passengers who travel from the first to the last station"));
	}

}
