package io.github.vicinal.samples.trainticket.user;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The profiles, by name.
 */
class UserStore {

	private final Map<String, UserProfile> byName = new ConcurrentHashMap<>();

	Optional<UserProfile> byName(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	void add(UserProfile user) {
		this.byName.put(user.name(), user);
	}

	/**
	 * The user of the original.
	 * @return a store with the seed data
	 */
	static UserStore seeded() {
		UserStore users = new UserStore();
		users.add(new UserProfile(UUID.fromString("4d2a46c7-71cb-4cf1-b5bb-b68406d9da6f"), "fdse_microservice",
				"fdse_microservice@example.org"));
		return users;
	}

}
