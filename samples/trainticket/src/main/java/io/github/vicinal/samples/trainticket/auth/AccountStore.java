package io.github.vicinal.samples.trainticket.auth;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * The users who can log in, by name.
 */
class AccountStore {

	private final Map<String, Account> byName = new ConcurrentHashMap<>();

	Optional<Account> byName(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	/**
	 * Adds an account.
	 * @param account the account
	 * @return whether the name was free
	 */
	boolean add(Account account) {
		return this.byName.putIfAbsent(account.identity().name(), account) == null;
	}

	/**
	 * The two users of the original.
	 * @param passwords hashes their passwords
	 * @return a store with the seed data
	 */
	static AccountStore seeded(PasswordEncoder passwords) {
		AccountStore accounts = new AccountStore();
		accounts.add(new Account(
				new Identity(UUID.fromString("4d2a46c7-71cb-4cf1-b5bb-b68406d9da6f"), "fdse_microservice", false),
				hash(passwords, "111111")));
		accounts.add(new Account(new Identity(UUID.fromString("1d1a46c7-71cb-4cf1-b5bb-b68406d9da6f"), "admin", true),
				hash(passwords, "222222")));
		return accounts;
	}

	private static String hash(PasswordEncoder passwords, String password) {
		return Objects.requireNonNull(passwords.encode(password));
	}

}
