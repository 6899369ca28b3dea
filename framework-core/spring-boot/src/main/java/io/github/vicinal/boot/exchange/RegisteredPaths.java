package io.github.vicinal.boot.exchange;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.peer.PeerAnnouncement;

/**
 * Addresses where instances listen for paths, as a service registry names them. They are
 * kept from the choice of an instance until the first request to it. Anybody may have
 * written them, so few are kept. Thread-safe.
 */
final class RegisteredPaths {

	/** Maximum number of instances of which something is kept. */
	static final int MAX_INSTANCES = 1024;

	/** Maximum number of values of an instance. */
	private static final int MAX_NAMES = 8;

	/** Maximum length of a value; longer ones are no addresses. */
	private static final int MAX_CHARS = 256;

	/** Metadata by {@code host:port}, in lower case. */
	private final Map<String, Map<String, String>> byAddress = new ConcurrentHashMap<>();

	/**
	 * Keeps what is said of an instance.
	 * @param address its HTTP address, {@code host:port}
	 * @param metadata the metadata of its registration
	 */
	void note(String address, Map<String, String> metadata) {
		Map<String, String> kept = new HashMap<>();
		metadata.forEach((name, value) -> {
			if (name.startsWith(PeerAnnouncement.METADATA_PREFIX) && name.length() <= MAX_CHARS && value != null
					&& value.length() <= MAX_CHARS && kept.size() < MAX_NAMES) {
				kept.put(name, value);
			}
		});
		if (kept.isEmpty()) {
			return;
		}
		String key = address.toLowerCase(Locale.ROOT);
		if (this.byAddress.size() >= MAX_INSTANCES && !this.byAddress.containsKey(key)) {
			// Most are instances that no exchange was ever for, or that are gone.
			this.byAddress.clear();
		}
		this.byAddress.put(key, kept);
	}

	/**
	 * Returns what was said of an instance, and forgets it.
	 * @param address its HTTP address, {@code host:port}
	 * @return values by name, mostly none
	 */
	Map<String, String> take(String address) {
		if (this.byAddress.isEmpty()) {
			return Map.of();
		}
		Map<String, String> said = this.byAddress.remove(address.toLowerCase(Locale.ROOT));
		return (said != null) ? said : Map.of();
	}

}
