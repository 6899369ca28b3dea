package io.github.vicinal.transport.multiplex;

import java.security.KeyPair;
import java.security.KeyPairGenerator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class OwnKeysTests {

	@ParameterizedTest
	@ValueSource(strings = { "RSA", "EC", "Ed25519", "Ed448", "DSA" })
	void aKeyBelongsToItsOwnCertificateOnly(String type) throws Exception {
		KeyPair one = KeyPairGenerator.getInstance(type).generateKeyPair();
		KeyPair other = KeyPairGenerator.getInstance(type).generateKeyPair();
		assertThat(OwnKeys.belong(one.getPrivate(), one.getPublic())).isTrue();
		assertThat(OwnKeys.belong(one.getPrivate(), other.getPublic())).isFalse();
		KeyPair unlike = KeyPairGenerator.getInstance(type.equals("RSA") ? "EC" : "RSA").generateKeyPair();
		assertThat(OwnKeys.belong(unlike.getPrivate(), one.getPublic())).isFalse();
	}

	@Test
	void aTypeOfKeysThatIsNotKnownIsLeftToTheHandshake() throws Exception {
		KeyPair pair = KeyPairGenerator.getInstance("RSASSA-PSS").generateKeyPair();
		assertThat(OwnKeys.belong(pair.getPrivate(), pair.getPublic())).isTrue();
	}

}
