package io.github.vicinal.samples.trainticket.auth;

/**
 * Credentials of a user.
 *
 * @param name the name
 * @param password the password
 */
public record Credentials(String name, String password) {

	@Override
	public String toString() {
		return "Credentials[name=" + this.name + "]";
	}

}
