package io.github.vicinal.samples.trainticket;

import io.github.vicinal.samples.trainticket.AllServices.Started;
import io.github.vicinal.samples.trainticket.auth.Credentials;
import io.github.vicinal.samples.trainticket.auth.Login;
import io.github.vicinal.samples.trainticket.gateway.GatewayApi;
import io.github.vicinal.samples.trainticket.user.NewUser;
import io.github.vicinal.samples.trainticket.user.UserProfile;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.web.client.HttpClientErrorException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(AllServices.class)
class UserTests {

	private static final Credentials SEEDED = new Credentials("fdse_microservice", "111111");

	private static final Credentials ADMIN = new Credentials("admin", "222222");

	private final GatewayApi gateway;

	UserTests(Started started) {
		this.gateway = Clients.gateway(started.gateway());
	}

	@Test
	@DisplayName("a user who has logged in may see his profile")
	void loginAndProfile() {
		assertThat(this.gateway.user(login(SEEDED), SEEDED.name()).name()).isEqualTo(SEEDED.name());
	}

	@Test
	@DisplayName("an administrator may see all profiles, others only their own")
	void othersProfile() {
		UserProfile ann = this.gateway.register(new NewUser(new Credentials("ann", "secret-1"), "ann@example.org"));
		String seeded = login(SEEDED);

		assertThat(this.gateway.user(login(ADMIN), "ann")).isEqualTo(ann);
		assertThatExceptionOfType(HttpClientErrorException.Forbidden.class)
			.isThrownBy(() -> this.gateway.user(seeded, "ann"));
	}

	@Test
	@DisplayName("no token, a token of another key and a changed token are refused")
	void badTokens() {
		String token = login(SEEDED);
		String otherKey = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.5mhBHqs5_DTLdINd9p5m7ZJ6XD0Xc55kIaCRY5r6HRA";
		String[] parts = token.split("\\.", -1);
		String changed = parts[0] + "." + parts[1] + "x." + parts[2];

		for (String bad : new String[] { null, "", "Basic abc", "Bearer ", "Bearer x.y.z", otherKey, changed }) {
			assertThatExceptionOfType(HttpClientErrorException.Unauthorized.class).as("%s", bad)
				.isThrownBy(() -> this.gateway.user(bad, SEEDED.name()));
		}
	}

	@Test
	@DisplayName("wrong passwords and unknown names are refused with the same words")
	void badLogin() {
		assertThatExceptionOfType(HttpClientErrorException.Unauthorized.class)
			.isThrownBy(() -> login(new Credentials(SEEDED.name(), "111112")))
			.withMessageContaining("Name or password is wrong");
		assertThatExceptionOfType(HttpClientErrorException.Unauthorized.class)
			.isThrownBy(() -> login(new Credentials("nobody", "111111")))
			.withMessageContaining("Name or password is wrong");
	}

	@Test
	@DisplayName("a verification code is good for one login")
	void codeUsedTwice() {
		Login login = new Login(SEEDED, this.gateway.verificationCode());
		this.gateway.login(login);

		assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
			.isThrownBy(() -> this.gateway.login(login));
		assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
			.isThrownBy(() -> this.gateway.login(new Login(SEEDED, new VerificationCode("none", "ABCD"))));
	}

	@Test
	@DisplayName("taken names and bad passwords are refused")
	void badRegistration() {
		assertThatExceptionOfType(HttpClientErrorException.Conflict.class)
			.isThrownBy(() -> this.gateway.register(new NewUser(SEEDED, "x@example.org")));
		assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
			.isThrownBy(() -> this.gateway.register(new NewUser(new Credentials("bob", "short"), "b@example.org")));
		assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class).isThrownBy(
				() -> this.gateway.register(new NewUser(new Credentials("bob", "x".repeat(73)), "b@example.org")));
	}

	private String login(Credentials credentials) {
		return "Bearer " + this.gateway.login(new Login(credentials, this.gateway.verificationCode())).value();
	}

}
