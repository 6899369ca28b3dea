package io.github.vicinal.boot.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ContentDecoding}.
 */
class ContentDecodingTests {

	private static final byte[] BODY = "a body that is compressed".getBytes(StandardCharsets.UTF_8);

	@Test
	void decodesWhatTheLibraryAccepts() throws IOException {
		assertDecoded(ContentDecoding.decoded(response("gzip", gzip(BODY)), accepted("gzip, x-gzip, deflate")));
		assertDecoded(ContentDecoding.decoded(response("GZIP", gzip(BODY)), accepted("gzip")));
		assertDecoded(ContentDecoding.decoded(response("deflate", deflate(BODY)), accepted("gzip", "deflate")));
	}

	@Test
	void leavesWhatTheLibraryDoesNotAccept() throws IOException {
		ServletContainer.Response compressed = response("gzip", gzip(BODY));
		assertThat(ContentDecoding.decoded(compressed, accepted())).isSameAs(compressed);
		assertThat(ContentDecoding.decoded(compressed, accepted("deflate"))).isSameAs(compressed);
		ServletContainer.Response other = response("br", BODY);
		assertThat(ContentDecoding.decoded(other, accepted("gzip, br"))).isSameAs(other);
	}

	@Test
	void anUncompressedBodyBreaksOff() {
		ServletContainer.Response response = ContentDecoding.decoded(response("gzip", BODY), accepted("gzip"));
		assertThat(response.cutOff()).isTrue();
		assertThat(response.body()).isEmpty();
	}

	@Test
	void aBodyWhoseCompressionEndsEarlyBreaksOff() throws IOException {
		byte[] whole = gzip(BODY);
		ServletContainer.Response response = ContentDecoding
			.decoded(response("gzip", Arrays.copyOf(whole, whole.length - 5)), accepted("gzip"));
		assertThat(response.cutOff()).isTrue();
	}

	private static void assertDecoded(ServletContainer.Response response) {
		assertThat(response.body()).isEqualTo(BODY);
		assertThat(response.headers()).containsOnlyKeys("Content-Type");
		assertThat(response.cutOff()).isFalse();
	}

	private static ServletContainer.Response response(String encoding, byte[] body) {
		return new ServletContainer.Response(200,
				Map.of("Content-Encoding", List.of(encoding), "Content-Type", List.of("text/plain")), body, false);
	}

	private static Enumeration<String> accepted(String... values) {
		return Collections.enumeration(List.of(values));
	}

	private static byte[] gzip(byte[] body) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (OutputStream zip = new GZIPOutputStream(bytes)) {
			zip.write(body);
		}
		return bytes.toByteArray();
	}

	private static byte[] deflate(byte[] body) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (OutputStream zip = new DeflaterOutputStream(bytes)) {
			zip.write(body);
		}
		return bytes.toByteArray();
	}

}
