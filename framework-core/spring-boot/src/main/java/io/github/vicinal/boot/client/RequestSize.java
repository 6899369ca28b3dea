package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Size of the line and the headers of a request. Servers refuse requests that are larger
 * than they allow, so large ones do not ask for paths and arrive as they are.
 *
 * @param chars number of characters, about
 */
public record RequestSize(int chars) {

	/**
	 * Maximum size of a request that asks: half of what Tomcat, Jetty and Reactor Netty
	 * allow unless they are told otherwise. The other half is for what HTTP libraries,
	 * proxies and meshes add, and for servers that allow less.
	 */
	private static final int MAX_CHARS = 4096;

	/** Why a request has not asked. */
	public static final String TOO_LARGE = "a request with more than about 4,000 characters of headers asks for no paths, since servers might refuse it";

	/** The version, and what separates the parts of the first line. */
	private static final int LINE_CHARS = "OPTIONS  HTTP/1.1\r\n".length();

	/** What separates and ends a name and a value. */
	private static final int HEADER_CHARS = ": \r\n".length();

	/**
	 * Returns the size of a request.
	 * @param uri where the request goes; its authority is a header
	 * @param headers the headers that the client knows of
	 * @return the size
	 */
	public static RequestSize of(URI uri, HttpHeaders headers) {
		int chars = ofLine(uri);
		for (Map.Entry<String, List<String>> header : headers.headerSet()) {
			chars += chars(header.getKey(), header.getValue());
		}
		return new RequestSize(chars);
	}

	/**
	 * Returns the size of a request.
	 * @param uri where the request goes; its authority is a header
	 * @param headers the headers that the client knows of
	 * @return the size
	 */
	public static RequestSize of(URI uri, Map<String, Collection<String>> headers) {
		int chars = ofLine(uri);
		for (Map.Entry<String, Collection<String>> header : headers.entrySet()) {
			chars += chars(header.getKey(), header.getValue());
		}
		return new RequestSize(chars);
	}

	private static int ofLine(URI uri) {
		return LINE_CHARS + uri.toASCIIString().length();
	}

	private static int chars(String name, Collection<? extends @Nullable String> values) {
		int chars = 0;
		for (String value : values) {
			chars += name.length() + HEADER_CHARS + ((value != null) ? value.length() : 0);
		}
		return chars;
	}

	/**
	 * Returns the size with another header, or a cookie.
	 * @param name its name
	 * @param value its value
	 * @return the size
	 */
	public RequestSize with(String name, @Nullable String value) {
		return new RequestSize(this.chars + name.length() + HEADER_CHARS + ((value != null) ? value.length() : 0));
	}

	/**
	 * Returns the size with another header, if it has a value.
	 * @param name its name
	 * @param valueChars number of characters of its value
	 */
	RequestSize with(String name, int valueChars) {
		return (valueChars > 0) ? new RequestSize(this.chars + name.length() + HEADER_CHARS + valueChars) : this;
	}

	/**
	 * Adds the headers that ask, unless the request would be too large with them.
	 * @param inquiry what the request asks for
	 * @param names the names of its other headers
	 * @param header sets a header
	 * @return whether the request asks
	 */
	public boolean ask(String inquiry, String names, BiConsumer<String, String> header) {
		boolean asks = with(PeerAnnouncement.REQUEST_HEADER, inquiry).with(PeerAnnouncement.SENT_HEADERS_HEADER, names)
			.chars() <= MAX_CHARS;
		if (asks) {
			header.accept(PeerAnnouncement.REQUEST_HEADER, inquiry);
			header.accept(PeerAnnouncement.SENT_HEADERS_HEADER, names);
		}
		return asks;
	}

}
