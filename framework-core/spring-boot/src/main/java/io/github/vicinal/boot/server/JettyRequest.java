package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.server.HttpRequiredException;
import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpScheme;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * The request of an exchange, as Jetty's parser would have made it of a connection's
 * bytes. A request that Jetty might refuse, or read in another way than it was meant,
 * goes over HTTP, where Jetty decides: an exchange was parsed by nobody, and any process
 * of this user may have written it.
 *
 * @param metaData the request
 * @param length announced length of the body, 0 if there is none, -1 if it is unknown
 * @param isPersistent whether its connection would be used for further requests
 */
record JettyRequest(MetaData.Request metaData, long length, boolean isPersistent) {

	/** Two spaces, the version and its line end, and the line end behind the fields. */
	private static final int LINE_BYTES = 14;

	/** Colon, space and line end. */
	private static final int FIELD_BYTES = 4;

	/**
	 * Fields of a request over HTTP that are not part of an exchange: those about the
	 * connection, and those that ask.
	 */
	private static final int UNSEEN_BYTES = 256;

	/** Digits of a length that is a {@code long} in any case. */
	private static final int MAX_DIGITS = 18;

	private static final int MAX_PORT = 65_535;

	/** Characters of a target that Jetty takes as they are. */
	private static final String OF_TARGETS = "/-._~!$&'()*+,;=:@%?";

	private static final String OF_TOKENS = "!#$%&'*+-.^_`|~";

	/**
	 * Reads the head of a request.
	 * @param head the head
	 * @param client the connection of its client
	 * @param config how the connector reads requests
	 * @throws HttpRequiredException if Jetty has to read it from a connection
	 */
	static JettyRequest of(RequestHead head, ClientConnection client, HttpConfiguration config) {
		try {
			return new Reader(head, client, config).read();
		}
		catch (HttpException.RuntimeException | IllegalArgumentException ex) {
			throw unusual("URI or Host");
		}
	}

	private static HttpRequiredException unusual(String part) {
		return new HttpRequiredException("its %s is unusual, so that Jetty's parser decides".formatted(part));
	}

	/** Reads one head. */
	private static final class Reader {

		private final RequestHead head;

		private final ClientConnection client;

		private final HttpConfiguration config;

		private final HttpFields.Mutable fields;

		private int bytes;

		private @Nullable HostPort host;

		private long length = -1;

		private boolean chunked;

		private boolean closes;

		Reader(RequestHead head, ClientConnection client, HttpConfiguration config) {
			this.head = head;
			this.client = client;
			this.config = config;
			this.fields = HttpFields.build(head.fields().size() + client.headers().size());
		}

		JettyRequest read() {
			HttpURI.Mutable uri = uri();
			for (int i = 0; i < this.head.fields().size(); i++) {
				field(this.head.fields().name(i), this.head.fields().value(i));
			}
			for (Map.Entry<String, List<String>> each : this.client.headers().entrySet()) {
				if (!each.getKey().equals("host") && !this.fields.contains(each.getKey())) {
					each.getValue().forEach((value) -> field(each.getKey(), value));
				}
			}
			HostPort authority = this.host;
			if (authority == null) {
				throw unusual("Host");
			}
			if (this.chunked && this.length >= 0) {
				throw unusual("length");
			}
			if (this.bytes + UNSEEN_BYTES > this.config.getRequestHeaderSize()) {
				throw unusual("size");
			}
			uri.scheme(HttpScheme.HTTP);
			uri.authority(authority.getHost(),
					(authority.getPort() == HttpScheme.HTTP.getDefaultPort()) ? -1 : authority.getPort());
			MetaData.Request request = new MetaData.Request(this.head.method(), uri.asImmutable(), HttpVersion.HTTP_1_1,
					this.fields.asImmutable(), this.length);
			return new JettyRequest(request, this.chunked ? -1 : Math.max(0, this.length),
					this.config.isPersistentConnectionsEnabled() && !this.closes);
		}

		private HttpURI.Mutable uri() {
			String method = this.head.method();
			String target = this.head.target();
			this.bytes = method.length() + target.length() + LINE_BYTES;
			if (!isMethod(method) || !isTarget(target)) {
				throw unusual("request line");
			}
			HttpURI.Mutable uri = HttpURI.build(method, target);
			if (uri.hasViolations()) {
				throw unusual("URI");
			}
			return uri;
		}

		private void field(String name, String value) {
			this.bytes += name.length() + value.length() + FIELD_BYTES;
			HttpHeader known = HttpHeader.CACHE.get(name);
			if ((known == null && !isToken(name)) || !isValue(value)) {
				throw unusual("field " + name);
			}
			this.fields.add((known != null) ? known(known, value) : new HttpField(name, value));
		}

		/** Fields on which the parser or the connection acts. */
		private HttpField known(HttpHeader name, String value) {
			switch (name) {
				case HOST -> {
					return host(value);
				}
				case CONTENT_LENGTH -> {
					if (this.length >= 0 || !isLength(value)) {
						throw unusual("length");
					}
					this.length = Long.parseLong(value);
				}
				case TRANSFER_ENCODING -> {
					if (this.chunked || !value.equals("chunked")) {
						throw unusual("Transfer-Encoding");
					}
					this.chunked = true;
				}
				case EXPECT -> {
					if (!value.equals("100-continue")) {
						throw unusual("Expect");
					}
				}
				case CONNECTION -> connection(value);
				// They make something else of a connection, or announce what exchanges
				// leave out.
				case UPGRADE, HTTP2_SETTINGS, TE, TRAILER, PROXY_CONNECTION -> throw unusual(name.asString());
				default -> {
				}
			}
			HttpField cached = value.isEmpty() ? null : HttpParser.CACHE.get(name.asString() + ": " + value);
			return (cached != null) ? cached : new HttpField(name, value);
		}

		private HttpField host(String value) {
			if (this.host != null || !isHost(value)) {
				throw unusual("Host");
			}
			HostPortHttpField field = new HostPortHttpField(value);
			this.host = field.getHostPort();
			return field;
		}

		private void connection(String value) {
			String lower = value.toLowerCase(Locale.ROOT);
			if (lower.equals("close")) {
				this.closes = true;
			}
			else if (!lower.equals("keep-alive")) {
				throw unusual("Connection");
			}
		}

		/** Jetty may take methods in lower case for others. */
		private static boolean isMethod(String method) {
			return !method.isEmpty() && method.chars().allMatch((c) -> c >= 'A' && c <= 'Z')
					&& !method.equals("CONNECT") && !method.equals("PRI");
		}

		private static boolean isTarget(String target) {
			if (!target.startsWith("/")) {
				return false;
			}
			for (int i = 0; i < target.length(); i++) {
				if (!isOneOf(target.charAt(i), OF_TARGETS)) {
					return false;
				}
			}
			return true;
		}

		private static boolean isToken(String name) {
			if (name.isEmpty()) {
				return false;
			}
			for (int i = 0; i < name.length(); i++) {
				if (!isOneOf(name.charAt(i), OF_TOKENS)) {
					return false;
				}
			}
			return true;
		}

		private static boolean isOneOf(char c, String others) {
			return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.indexOf(c) >= 0;
		}

		/** A parser takes blanks around a value off. */
		private static boolean isValue(String value) {
			int last = value.length() - 1;
			if (last < 0) {
				return true;
			}
			for (int i = 0; i <= last; i++) {
				char c = value.charAt(i);
				if (c > '~' || c < ' ' || (c == ' ' && (i == 0 || i == last))) {
					return false;
				}
			}
			return true;
		}

		private static boolean isLength(String value) {
			return !value.isEmpty() && value.length() <= MAX_DIGITS && value.chars().allMatch(Reader::isDigit);
		}

		private static boolean isDigit(int c) {
			return c >= '0' && c <= '9';
		}

		/** A registered name or an address, with or without a port. */
		private static boolean isHost(String value) {
			int colon = value.indexOf(':', value.lastIndexOf(']') + 1);
			String name = (colon >= 0) ? value.substring(0, colon) : value;
			if (colon >= 0) {
				String port = value.substring(colon + 1);
				if (port.isEmpty() || port.length() > 5 || !port.chars().allMatch(Reader::isDigit)
						|| Integer.parseInt(port) > MAX_PORT || Integer.parseInt(port) == 0) {
					return false;
				}
			}
			if (name.startsWith("[") && name.endsWith("]")) {
				return name.length() > 2 && name.substring(1, name.length() - 1)
					.chars()
					.allMatch((c) -> c == ':' || c == '.' || (Character.digit(c, 16) >= 0 && c <= 'f'));
			}
			return !name.isEmpty() && name.chars().allMatch((c) -> c < 128 && isOneOf((char) c, "-._"));
		}

	}

}
