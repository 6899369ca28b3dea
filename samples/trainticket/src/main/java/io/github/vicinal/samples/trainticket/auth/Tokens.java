package io.github.vicinal.samples.trainticket.auth;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.github.vicinal.samples.trainticket.common.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/**
 * Signs and checks tokens with a key that is made at start and never leaves this object;
 * tokens end with the process.
 */
class Tokens {

	static final Duration LIFETIME = Duration.ofHours(1);

	private static final String SCHEME = "Bearer ";

	private static final String NAME = "name";

	private static final String ADMIN = "admin";

	private final JwtEncoder encoder;

	private final JwtDecoder decoder;

	private final Clock clock;

	Tokens(Clock clock) {
		byte[] bytes = new byte[32];
		new SecureRandom().nextBytes(bytes);
		SecretKey key = new SecretKeySpec(bytes, "HmacSHA256");
		this.encoder = NimbusJwtEncoder.withSecretKey(key).algorithm(MacAlgorithm.HS256).build();
		this.decoder = NimbusJwtDecoder.withSecretKey(key).macAlgorithm(MacAlgorithm.HS256).build();
		this.clock = clock;
	}

	Token issue(Identity identity) {
		Instant now = this.clock.instant();
		Instant expires = now.plus(LIFETIME);
		JwtClaimsSet claims = JwtClaimsSet.builder()
			.subject(identity.id().toString())
			.claim(NAME, identity.name())
			.claim(ADMIN, identity.admin())
			.issuedAt(now)
			.expiresAt(expires)
			.build();
		JwsHeader header = JwsHeader.with(MacAlgorithm.HS256).build();
		return new Token(this.encoder.encode(JwtEncoderParameters.from(header, claims)).getTokenValue(), expires);
	}

	Identity check(@Nullable String authorization) {
		if (authorization == null || !authorization.startsWith(SCHEME)) {
			throw Problems.problem(HttpStatus.UNAUTHORIZED,
					"No token; log in and send the header Authorization: Bearer TOKEN");
		}
		Jwt jwt = decode(authorization.substring(SCHEME.length()).trim());
		return new Identity(UUID.fromString(jwt.getSubject()), Objects.requireNonNull(jwt.getClaimAsString(NAME)),
				Boolean.TRUE.equals(jwt.getClaimAsBoolean(ADMIN)));
	}

	private Jwt decode(String token) {
		try {
			return this.decoder.decode(token);
		}
		catch (JwtException ex) {
			throw Problems.problem(HttpStatus.UNAUTHORIZED, "The token is not valid or has ended; log in again");
		}
	}

}
