package io.github.vicinal.exchange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.github.vicinal.codec.CodecException;
import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.exchange.ExchangeMessage.Abort;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Pull;
import io.github.vicinal.exchange.ExchangeMessage.Push;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of messages. Numbers are big-endian; a text is a 16-bit length and as many
 * bytes of ISO-8859-1, as in HTTP; a body is what is left.
 *
 * <pre>
 *  Begin  | 1 | last | method | target | fields | body |
 *  Push   | 2 | last | exchange: 64 bits        | body |
 *  Pull   | 3 |  0   | exchange: 64 bits |
 *  Abort  | 4 |  0   | exchange: 64 bits |
 *  Answer | 5 | end  | exchange: 64 bits | status: 16 bits, 0 for no head | [reason | fields] | body |
 *
 *  fields | count: 16 bits | name | value | name | value | ...
 * </pre>
 *
 * Another process may have written the bytes: each length is checked against what is
 * there, and nothing is allocated before that. Thread-safe.
 */
final class ExchangeCodec implements ContractCodec {

	private static final int BEGIN = 1;

	private static final int PUSH = 2;

	private static final int PULL = 3;

	private static final int ABORT = 4;

	private static final int ANSWER = 5;

	private static final End[] ENDS = End.values();

	@Override
	public String name() {
		return "exchange";
	}

	@Override
	public void encodeArguments(ContractMethod method, @Nullable Object[] arguments, EncodeBuffer out) {
		Object message = arguments[0];
		if (message instanceof Begin begin) {
			write(begin, out);
		}
		else if (message instanceof Push push) {
			start(out, PUSH, push.last() ? 1 : 0);
			writeLong(out, push.exchange());
			write(out, push.body());
		}
		else if (message instanceof Pull pull) {
			start(out, PULL, 0);
			writeLong(out, pull.exchange());
		}
		else if (message instanceof Abort abort) {
			start(out, ABORT, 0);
			writeLong(out, abort.exchange());
		}
		else {
			throw new CodecException("Not a message of an exchange: " + message, null);
		}
	}

	private static void write(Begin begin, EncodeBuffer out) {
		start(out, BEGIN, begin.last() ? 1 : 0);
		RequestHead head = begin.head();
		writeText(out, head.method());
		writeText(out, head.target());
		write(out, head.fields());
		write(out, begin.body());
	}

	private static void start(EncodeBuffer out, int type, int flag) {
		out.write(type);
		out.write(flag);
	}

	private static void write(EncodeBuffer out, HttpFields fields) {
		if (fields.size() > RequestHead.MAX_FIELDS) {
			throw new CodecException(
					"%d fields are more than the limit of %d".formatted(fields.size(), RequestHead.MAX_FIELDS), null);
		}
		writeShort(out, fields.size());
		for (int i = 0; i < fields.size(); i++) {
			writeText(out, fields.name(i));
			writeText(out, fields.value(i));
		}
	}

	private static void writeShort(EncodeBuffer out, int value) {
		out.write(value >>> 8);
		out.write(value);
	}

	private static void writeLong(EncodeBuffer out, long value) {
		for (int shift = 56; shift >= 0; shift -= 8) {
			out.write((int) (value >>> shift));
		}
	}

	@SuppressWarnings("deprecation")
	private static void writeText(EncodeBuffer out, String text) {
		int length = text.length();
		if (length > RequestHead.MAX_TEXT_BYTES) {
			throw new CodecException("a text of %d characters is longer than the limit of %d".formatted(length,
					RequestHead.MAX_TEXT_BYTES), null);
		}
		writeShort(out, length);
		out.ensureWritable(length);
		// The low byte of each character: HTTP clients leave no others.
		text.getBytes(0, length, out.array(), out.size());
		out.size(out.size() + length);
	}

	private static void write(EncodeBuffer out, ByteBuffer body) {
		int length = body.remaining();
		out.ensureWritable(length);
		body.get(body.position(), out.array(), out.size(), length);
		out.size(out.size() + length);
	}

	@Override
	public @Nullable Object[] decodeArguments(ContractMethod method, byte[] bytes, int offset, int length) {
		Input in = new Input(bytes, offset, length);
		int type = in.octet();
		int flag = in.octet();
		if (flag > 1) {
			throw new CodecException("a flag of %d".formatted(flag), null);
		}
		ExchangeMessage message = switch (type) {
			case BEGIN -> new Begin(new RequestHead(in.text(), in.text(), in.fields()), in.rest(), flag == 1);
			case PUSH -> new Push(in.number(), in.rest(), flag == 1);
			case PULL -> new Pull(in.end(in.number()));
			case ABORT -> new Abort(in.end(in.number()));
			default -> throw new CodecException("there is no message of type %d".formatted(type), null);
		};
		if (!((Class<?>) method.argumentTypes().get(0)).isInstance(message)) {
			throw new CodecException("%s cannot carry a message of type %d".formatted(method, type), null);
		}
		return new Object[] { message };
	}

	@Override
	public void encodeResult(ContractMethod method, @Nullable Object result, EncodeBuffer out) {
		if (result == null) {
			return;
		}
		Answer answer = (Answer) result;
		start(out, ANSWER, answer.end().ordinal());
		writeLong(out, answer.exchange());
		ResponseHead head = answer.head();
		writeShort(out, (head != null) ? head.status() : 0);
		if (head != null) {
			writeText(out, head.reason());
			write(out, head.fields());
		}
		write(out, answer.body());
	}

	@Override
	public @Nullable Object decodeResult(ContractMethod method, byte[] bytes, int offset, int length) {
		if (method.resultType() == void.class) {
			return null;
		}
		Input in = new Input(bytes, offset, length);
		int type = in.octet();
		int end = in.octet();
		if (type != ANSWER || end >= ENDS.length) {
			throw new CodecException("an answer of type %d must not end with %d".formatted(type, end), null);
		}
		long exchange = in.number();
		int status = in.unsignedShort();
		if (status != 0 && (status < ResponseHead.MIN_STATUS || status > ResponseHead.MAX_STATUS)) {
			throw new CodecException("a status of %d".formatted(status), null);
		}
		ResponseHead head = (status != 0) ? new ResponseHead(status, in.text(), in.fields()) : null;
		return new Answer(exchange, head, in.rest(), ENDS[end]);
	}

	/** Reads what another process may have written. */
	private static final class Input {

		private static final int SMALLEST_FIELD_BYTES = 4;

		private final byte[] bytes;

		private final int limit;

		private int position;

		Input(byte[] bytes, int offset, int length) {
			this.bytes = bytes;
			this.position = offset;
			this.limit = offset + length;
		}

		private void require(int count) {
			if (this.limit - this.position < count) {
				throw new CodecException(
						"%d bytes are missing at the end of a message".formatted(count - this.limit + this.position),
						null);
			}
		}

		int octet() {
			require(1);
			return this.bytes[this.position++] & 0xFF;
		}

		int unsignedShort() {
			require(Short.BYTES);
			return (octet() << 8) | octet();
		}

		long number() {
			require(Long.BYTES);
			long value = 0;
			for (int i = 0; i < Long.BYTES; i++) {
				value = (value << 8) | (this.bytes[this.position++] & 0xFF);
			}
			return value;
		}

		String text() {
			int length = unsignedShort();
			require(length);
			String text = new String(this.bytes, this.position, length, StandardCharsets.ISO_8859_1);
			this.position += length;
			return text;
		}

		HttpFields fields() {
			int count = unsignedShort();
			if (count > RequestHead.MAX_FIELDS) {
				throw new CodecException(
						"%d fields are more than the limit of %d".formatted(count, RequestHead.MAX_FIELDS), null);
			}
			require(count * SMALLEST_FIELD_BYTES);
			HttpFields.Builder fields = HttpFields.builder();
			for (int i = 0; i < count; i++) {
				fields.add(text(), text());
			}
			return fields.build();
		}

		ByteBuffer rest() {
			int length = this.limit - this.position;
			byte[] copy = new byte[length];
			System.arraycopy(this.bytes, this.position, copy, 0, length);
			this.position = this.limit;
			return ByteBuffer.wrap(copy);
		}

		long end(long value) {
			if (this.position != this.limit) {
				throw new CodecException("%d bytes after the end of a message".formatted(this.limit - this.position),
						null);
			}
			return value;
		}

	}

}
