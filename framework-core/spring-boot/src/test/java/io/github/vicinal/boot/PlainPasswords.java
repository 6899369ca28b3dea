package io.github.vicinal.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * Passwords as they are. By default, Spring Security hashes one when a user is asked for
 * the first time, and those of a manager of users: each takes as long as the start of a
 * small application.
 */
public final class PlainPasswords implements PasswordEncoder {

	@Override
	public @Nullable String encode(@Nullable CharSequence password) {
		return (password != null) ? password.toString() : null;
	}

	@Override
	public boolean matches(@Nullable CharSequence password, @Nullable String known) {
		return password != null && known != null && known.contentEquals(password);
	}

}
