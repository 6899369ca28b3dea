package io.github.vicinal.samples.trainticket.user;

import io.github.vicinal.samples.trainticket.auth.AuthApi;
import io.github.vicinal.samples.trainticket.auth.Identity;
import io.github.vicinal.samples.trainticket.common.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link UserApi}.
 */
@RestController
class UserController implements UserApi {

	private final AuthApi auth;

	private final UserStore users;

	UserController(AuthApi auth, UserStore users) {
		this.auth = auth;
		this.users = users;
	}

	@Override
	public UserProfile register(NewUser user) {
		Identity identity = this.auth.register(user.credentials());
		UserProfile profile = new UserProfile(identity.id(), identity.name(), user.email());
		this.users.add(profile);
		return profile;
	}

	@Override
	public UserProfile user(@Nullable String authorization, String name) {
		Identity asking = this.auth.identity(authorization);
		if (!asking.admin() && !asking.name().equals(name)) {
			throw Problems.problem(HttpStatus.FORBIDDEN, "Only '" + name + "' or an administrator may see this");
		}
		return this.users.byName(name).orElseThrow(() -> Problems.notFound("user", name));
	}

}
