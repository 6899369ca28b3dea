package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/** Decompresses a response that the HTTP library would have decompressed. */
final class BodyDecoding {

	private BodyDecoding() {
	}

	/**
	 * Returns how a response is compressed.
	 * @param headers its headers
	 * @return {@code gzip}, {@code deflate} or {@code null}
	 */
	static @Nullable String encoding(HttpHeaders headers) {
		String known = headers.getFirst(HttpHeaders.CONTENT_ENCODING);
		return (known != null && (known.equalsIgnoreCase("gzip") || known.equalsIgnoreCase("deflate"))) ? known : null;
	}

	/**
	 * Decompresses a body. An empty one need not be compressed.
	 * @param raw the body as the server has sent it
	 * @param encoding how it is compressed
	 * @throws IOException if it is not what it says
	 */
	static InputStream decoded(InputStream raw, String encoding) throws IOException {
		PushbackInputStream buffered = new PushbackInputStream(raw);
		int first = buffered.read();
		if (first < 0) {
			return buffered;
		}
		buffered.unread(first);
		return encoding.equalsIgnoreCase("gzip") ? new GZIPInputStream(buffered) : new InflaterInputStream(buffered);
	}

}
