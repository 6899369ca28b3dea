package io.github.vicinal.boot.exchange;

import java.net.URI;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The field {@code Host}, as libraries write it. */
class OfLibrariesTests {

	@ParameterizedTest
	@CsvSource({ "http://a/x, a, a", "http://a:80/x, a, a", "http://a:81/x, a:81, a:81", "http://a:443/x, a:443, a",
			"http://[::1]:80/, [::1], [::1]", "http://[::1]:8080/, [::1]:8080, [::1]:8080" })
	void hostHasNoPortThatIsMeantAnyway(String uri, String host, String byNetty) {
		assertThat(OfLibraries.host(URI.create(uri), false)).isEqualTo(host);
		assertThat(OfLibraries.host(URI.create(uri), true)).isEqualTo(byNetty);
	}

}
