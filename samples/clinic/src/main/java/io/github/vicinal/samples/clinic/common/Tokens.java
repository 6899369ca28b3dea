package io.github.vicinal.samples.clinic.common;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import com.nimbusds.jose.jwk.source.ImmutableSecret;

import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/**
 * Tokens of this sample, signed with a key that is no secret. A real clinic has an
 * authorization server. Thread-safe.
 */
public final class Tokens {

	private static final SecretKey KEY = new SecretKeySpec(
			"a-key-of-a-sample-that-everybody-knows".getBytes(StandardCharsets.US_ASCII), "HmacSHA256");

	private Tokens() {
	}

	/** Returns what checks tokens. */
	public static JwtDecoder decoder() {
		return NimbusJwtDecoder.withSecretKey(KEY).macAlgorithm(MacAlgorithm.HS256).build();
	}

	/**
	 * Makes a token.
	 * @param user user that it identifies
	 * @param scopes what it allows, separated by spaces
	 * @return the token, which is good for an hour
	 */
	public static String of(String user, String scopes) {
		JwtClaimsSet claims = JwtClaimsSet.builder()
			.subject(user)
			.claim("scope", scopes)
			.expiresAt(Instant.now().plus(Duration.ofHours(1)))
			.build();
		return new NimbusJwtEncoder(new ImmutableSecret<>(KEY))
			.encode(JwtEncoderParameters.from(JwsHeader.with(MacAlgorithm.HS256).build(), claims))
			.getTokenValue();
	}

}
