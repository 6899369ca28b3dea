package io.github.vicinal.boot.server;

import io.github.vicinal.exchange.ResponseHead;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.MetaData;
import org.jspecify.annotations.Nullable;

/**
 * The head of a response, as Jetty's generator of HTTP/1.1 would have written it.
 *
 * @param head the head
 * @param hasBody whether a body follows, if there is one
 * @param isChunked whether the body is written in chunks over HTTP
 * @param isPersistent whether its connection would be used for further requests
 */
record JettyResponse(ResponseHead head, boolean hasBody, boolean isChunked, boolean isPersistent) {

	/**
	 * Version, status and the blanks between, the line end, and that behind the fields.
	 */
	private static final int LINE_BYTES = 17;

	/** Colon, space and line end. */
	private static final int FIELD_BYTES = 4;

	/** The field {@code Connection: close} and its line end. */
	private static final int CLOSE_BYTES = 19;

	/**
	 * Prepares a head.
	 * @param response the response
	 * @param isHead whether it answers a request whose method is {@code HEAD}
	 * @param contentBytes length of the first part of the body
	 * @param last whether that is all of it
	 * @param persistent whether the connection may be used for further requests
	 * @param maxBytes maximum size of the head
	 * @throws HttpException.RuntimeException if Jetty would refuse to write it
	 */
	static JettyResponse of(MetaData.Response response, boolean isHead, int contentBytes, boolean last,
			boolean persistent, int maxBytes) {
		Writer writer = new Writer(response, persistent, maxBytes);
		writer.fields();
		writer.frame(contentBytes, last);
		boolean noContent = hasNoContent(response.getStatus());
		return new JettyResponse(writer.head(), !isHead && !noContent, writer.chunked, writer.persistent);
	}

	private static boolean hasNoContent(int status) {
		return status == HttpStatus.NO_CONTENT_204 || status == HttpStatus.NOT_MODIFIED_304;
	}

	private static HttpException.RuntimeException refused(String message) {
		return new HttpException.RuntimeException(HttpStatus.INTERNAL_SERVER_ERROR_500, message);
	}

	/** Writes one head. */
	private static final class Writer {

		private final MetaData.Response response;

		private final int maxBytes;

		private final io.github.vicinal.exchange.HttpFields.Builder target = io.github.vicinal.exchange.HttpFields
			.builder();

		private final boolean trailers;

		private final String reason;

		private int bytes;

		private long length;

		private boolean hasLength;

		private boolean hasType;

		private @Nullable HttpField encoding;

		private boolean wantsChunks;

		private boolean chunked;

		private boolean persistent;

		Writer(MetaData.Response response, boolean persistent, int maxBytes) {
			this.response = response;
			this.persistent = persistent;
			this.maxBytes = maxBytes;
			this.length = response.getContentLength();
			this.trailers = response.getTrailersSupplier() != null;
			this.wantsChunks = this.trailers;
			this.reason = (response.getReason() != null) ? sanitized(response.getReason(), '?')
					: HttpStatus.getMessage(response.getStatus());
			this.bytes = LINE_BYTES + this.reason.length();
		}

		void fields() {
			HttpFields fields = this.response.getHttpFields();
			for (int i = 0; i < fields.size(); i++) {
				HttpField field = fields.getField(i);
				HttpHeader name = field.getHeader();
				if (name == HttpHeader.CONTENT_LENGTH) {
					length(field.getLongValue());
				}
				else if (name == HttpHeader.TRANSFER_ENCODING) {
					this.encoding = (this.encoding == null) ? field : this.encoding.withValues(field.getValues());
					this.wantsChunks |= field.contains(HttpHeaderValue.CHUNKED.asString());
				}
				else if (name == HttpHeader.CONNECTION) {
					this.persistent &= !field.contains(HttpHeaderValue.CLOSE.asString());
				}
				else {
					this.hasType |= name == HttpHeader.CONTENT_TYPE;
					add(field.getName(), field.getValue());
				}
			}
		}

		private void length(long value) {
			if (this.length >= 0 && this.length != value) {
				throw refused("Incorrect Content-Length %d!=%d".formatted(this.length, value));
			}
			this.length = value;
			this.hasLength = true;
		}

		/** Adds the field by which the client finds the end of the body. */
		void frame(int contentBytes, boolean last) {
			if (last && this.length < 0 && !this.trailers) {
				this.length = contentBytes;
			}
			int status = this.response.getStatus();
			if (hasNoContent(status)) {
				if (this.hasLength && status == HttpStatus.NOT_MODIFIED_304) {
					addLength();
				}
				else if (this.hasLength && this.length > 0 && !last) {
					throw refused("Content for no content response");
				}
			}
			else if (this.wantsChunks || (this.length < 0 && this.persistent)) {
				this.chunked = true;
				add(HttpHeader.TRANSFER_ENCODING.asString(), encoding());
			}
			else if (this.length >= 0 && this.persistent) {
				addLength();
			}
			else {
				this.persistent = false;
				if (this.length > 0 || (this.length == 0 && (this.hasType || this.hasLength))) {
					addLength();
				}
				if (this.encoding != null) {
					add(HttpHeader.TRANSFER_ENCODING.asString(), this.encoding.getValue());
				}
			}
		}

		private String encoding() {
			HttpField given = this.encoding;
			if (given == null) {
				return HttpHeaderValue.CHUNKED.asString();
			}
			if (given.toString().endsWith(HttpHeaderValue.CHUNKED.asString())) {
				return given.getValue();
			}
			if (this.wantsChunks) {
				throw refused("Bad Transfer-Encoding");
			}
			return given.getValue() + ",chunked";
		}

		private void addLength() {
			add(HttpHeader.CONTENT_LENGTH.asString(), Long.toString(this.length));
		}

		/** Fields of a connection that does not exist count, and are left out. */
		private void add(String name, @Nullable String value) {
			String written = (value != null) ? sanitized(value, ' ').strip() : "";
			this.bytes += name.length() + written.length() + FIELD_BYTES;
			if (!name.equalsIgnoreCase(HttpHeader.KEEP_ALIVE.asString())) {
				this.target.add(sanitized(name, '.'), written);
			}
		}

		/** Returns a text as Jetty writes it, without control characters. */
		private static String sanitized(String text, char substitute) {
			StringBuilder clean = null;
			for (int i = 0; i < text.length(); i++) {
				char c = text.charAt(i);
				if (c > 255 || (c < ' ' && c != '\t') || (c == ':' && substitute == '.')) {
					clean = (clean != null) ? clean : new StringBuilder(text);
					clean.setCharAt(i, substitute);
				}
			}
			return (clean != null) ? clean.toString() : text;
		}

		ResponseHead head() {
			if (this.bytes + (this.persistent ? 0 : CLOSE_BYTES) > this.maxBytes) {
				throw refused("Response Header Fields Too Large");
			}
			return new ResponseHead(this.response.getStatus(), this.reason, this.target.build());
		}

	}

}
