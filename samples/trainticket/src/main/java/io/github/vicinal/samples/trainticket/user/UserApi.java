package io.github.vicinal.samples.trainticket.user;

import io.github.vicinal.channel.AffinityChannel;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code user}.
 */
@AffinityChannel
@HttpExchange("/api/v1/userservice")
public interface UserApi {

	/**
	 * Adds a user.
	 * @param user the user and his password
	 * @return the profile
	 */
	@PostExchange("/users/register")
	UserProfile register(@RequestBody NewUser user);

	/**
	 * Finds the profile of a user, for the user himself or an administrator.
	 * @param authorization the token of the caller
	 * @param name name of the user
	 * @return the profile
	 */
	@GetExchange("/users/{name}")
	UserProfile user(@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) @Nullable String authorization,
			@PathVariable String name);

}
