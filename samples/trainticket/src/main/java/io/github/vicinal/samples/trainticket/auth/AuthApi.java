package io.github.vicinal.samples.trainticket.auth;

import io.github.vicinal.channel.AffinityChannel;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code auth}.
 */
@AffinityChannel
@HttpExchange("/api/v1/authservice")
public interface AuthApi {

	/**
	 * Logs a user in.
	 * @param login name, password and verification code
	 * @return a signed token
	 */
	@PostExchange("/users/login")
	Token login(@RequestBody Login login);

	/**
	 * Adds a user who can log in.
	 * @param credentials name and password
	 * @return the new user
	 */
	@PostExchange("/auth")
	Identity register(@RequestBody Credentials credentials);

	/**
	 * Returns the user to whom a token was issued.
	 * @param authorization the header as the user's request had it
	 * @return the user
	 */
	@GetExchange("/auth/identity")
	Identity identity(
			@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) @Nullable String authorization);

}
