package io.github.vicinal.samples.trainticket.auth;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;

import io.github.vicinal.samples.trainticket.common.Problems;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCodeApi;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link AuthApi}.
 */
@RestController
class AuthController implements AuthApi {

	private static final int SHORTEST_PASSWORD = 6;

	/** BCrypt uses no more. */
	private static final int LONGEST_PASSWORD = 72;

	private final VerificationCodeApi verificationCode;

	private final AccountStore accounts;

	private final PasswordEncoder passwords;

	private final Tokens tokens;

	private final String noPasswordHash;

	AuthController(VerificationCodeApi verificationCode, AccountStore accounts, PasswordEncoder passwords,
			Tokens tokens) {
		this.verificationCode = verificationCode;
		this.accounts = accounts;
		this.passwords = passwords;
		this.tokens = tokens;
		this.noPasswordHash = hash(UUID.randomUUID().toString());
	}

	@Override
	public Token login(Login login) {
		if (!this.verificationCode.verify(login.verificationCode()).passed()) {
			throw Problems.problem(HttpStatus.UNPROCESSABLE_CONTENT, "The verification code is wrong or used up");
		}
		@Nullable Account account = this.accounts.byName(login.credentials().name()).orElse(null);
		// An unknown name costs as much time as a wrong password, and reads the same.
		String hash = (account != null) ? account.passwordHash() : this.noPasswordHash;
		boolean matches = this.passwords.matches(login.credentials().password(), hash);
		if (account == null || !matches) {
			throw Problems.problem(HttpStatus.UNAUTHORIZED, "Name or password is wrong");
		}
		return this.tokens.issue(account.identity());
	}

	@Override
	public Identity register(Credentials credentials) {
		int length = credentials.password().getBytes(StandardCharsets.UTF_8).length;
		if (credentials.name().isBlank() || length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD) {
			throw Problems.problem(HttpStatus.UNPROCESSABLE_CONTENT, "A user needs a name and a password of "
					+ SHORTEST_PASSWORD + " to " + LONGEST_PASSWORD + " bytes; this one has " + length);
		}
		Identity identity = new Identity(UUID.randomUUID(), credentials.name(), false);
		if (!this.accounts.add(new Account(identity, hash(credentials.password())))) {
			throw Problems.problem(HttpStatus.CONFLICT, "The name '" + credentials.name() + "' is taken");
		}
		return identity;
	}

	@Override
	public Identity identity(@Nullable String authorization) {
		return this.tokens.check(authorization);
	}

	private String hash(String password) {
		return Objects.requireNonNull(this.passwords.encode(password));
	}

}
