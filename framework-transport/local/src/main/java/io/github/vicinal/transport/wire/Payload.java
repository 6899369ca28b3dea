package io.github.vicinal.transport.wire;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.vicinal.codec.EncodeBuffer;

/**
 * The payloads of the frames that carry no values. A {@code text} is an unsigned 16-bit
 * length and that many bytes of UTF-8; a {@code list} is a 16-bit count and as many
 * texts.
 *
 * <pre>
 * HELLO    text client's instance id, text expected instance id, int longest frame
 * WELCOME  text server's instance id, int longest frame
 * BIND     text contract name, text contract hash, list codecs
 * BOUND    text codec, text reason, list codecs
 * REFUSED  text reason
 * ATTACH   text segment, int lanes, int inline bytes, int layout hash, long epoch,
 *          long most arena bytes, list bells
 * ATTACHED text bells, text directory of the bells or nothing, long most arena bytes
 * ARENA    int number, int bytes, text file
 * MAPPED   int number, or -1 - number if it cannot be mapped
 * RING     int bell: a lane, -1 the server's, -2 the poller's
 * CHECK    int lane, long sequence
 * PING, PONG, CANCEL carry nothing
 * GOODBYE  nothing, or with FLAG_CLOSING long correlations
 * </pre>
 */
public final class Payload {

	private static final int MAX_TEXT_BYTES = 0xffff;

	/** A refusal fits into a lane, so that it needs no memory that may be short. */
	private static final int MAX_REASON_BYTES = 1000;

	private static final int MAX_LIST = 64;

	private Payload() {
	}

	public static void writeText(EncodeBuffer out, String text) throws WireException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (bytes.length > MAX_TEXT_BYTES) {
			throw new WireException(Refusal.TOO_LARGE,
					"a text of %d bytes is longer than %d".formatted(bytes.length, MAX_TEXT_BYTES));
		}
		writeShort(out, bytes.length);
		out.write(bytes, 0, bytes.length);
	}

	public static void writeShort(EncodeBuffer out, int value) {
		out.write(value >>> 8);
		out.write(value);
	}

	public static void writeInt(EncodeBuffer out, int value) {
		writeShort(out, value >>> 16);
		writeShort(out, value);
	}

	public static void writeLong(EncodeBuffer out, long value) {
		writeInt(out, (int) (value >>> Integer.SIZE));
		writeInt(out, (int) value);
	}

	/** Shortens rather than fails: a reason is for people. */
	public static void writeReason(EncodeBuffer out, String reason) {
		// One character more, which may be half of one, is cut off below.
		String text = reason.substring(0, Math.min(reason.length(), MAX_REASON_BYTES + 1));
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		int length = Math.min(bytes.length, MAX_REASON_BYTES);
		while (length < bytes.length && isContinuation(bytes[length])) {
			length--;
		}
		writeShort(out, length);
		out.write(bytes, 0, length);
	}

	/** Returns whether a byte of UTF-8 is not the first one of its character. */
	private static boolean isContinuation(byte value) {
		return (value & 0xc0) == 0x80;
	}

	public static void writeList(EncodeBuffer out, Set<String> texts) throws WireException {
		writeShort(out, texts.size());
		for (String text : texts) {
			writeText(out, text);
		}
	}

	public static Set<String> readList(PayloadReader in) throws WireException {
		int count = in.readUnsignedShort();
		if (count > MAX_LIST) {
			throw new WireException(Refusal.MALFORMED, "a list of %d names".formatted(count));
		}
		Set<String> texts = new LinkedHashSet<>();
		for (int i = 0; i < count; i++) {
			texts.add(in.readString());
		}
		return texts;
	}

	/** The fields of HELLO. */
	public record Hello(String self, String expected, int maxFrameBytes) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.self);
			writeText(out, this.expected);
			writeInt(out, this.maxFrameBytes);
		}

		public static Hello read(PayloadReader in) throws WireException {
			Hello hello = new Hello(in.readString(), in.readString(), in.readInt());
			in.requireEnd();
			return hello;
		}

	}

	/** The fields of WELCOME. */
	public record Welcome(String self, int maxFrameBytes) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.self);
			writeInt(out, this.maxFrameBytes);
		}

		public static Welcome read(PayloadReader in) throws WireException {
			Welcome welcome = new Welcome(in.readString(), in.readInt());
			in.requireEnd();
			return welcome;
		}

	}

	/** The fields of ATTACH. */
	public record Attach(String segment, int lanes, int inlineBytes, int layoutHash, long epoch, long maxArenaBytes,
			Set<String> bells) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.segment);
			writeInt(out, this.lanes);
			writeInt(out, this.inlineBytes);
			writeInt(out, this.layoutHash);
			writeLong(out, this.epoch);
			writeLong(out, this.maxArenaBytes);
			writeList(out, this.bells);
		}

		public static Attach read(PayloadReader in) throws WireException {
			Attach attach = new Attach(in.readString(), in.readInt(), in.readInt(), in.readInt(), in.readLong(),
					in.readLong(), readList(in));
			in.requireEnd();
			return attach;
		}

	}

	/** The fields of ATTACHED. */
	public record Attached(String bells, String directory, long maxArenaBytes) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.bells);
			writeText(out, this.directory);
			writeLong(out, this.maxArenaBytes);
		}

		public static Attached read(PayloadReader in) throws WireException {
			Attached attached = new Attached(in.readString(), in.readString(), in.readLong());
			in.requireEnd();
			return attached;
		}

	}

	/** The fields of ARENA. */
	public record Arena(int number, int bytes, String file) {

		public void write(EncodeBuffer out) throws WireException {
			writeInt(out, this.number);
			writeInt(out, this.bytes);
			writeText(out, this.file);
		}

		public static Arena read(PayloadReader in) throws WireException {
			Arena arena = new Arena(in.readInt(), in.readInt(), in.readString());
			in.requireEnd();
			return arena;
		}

	}

	/** The fields of MAPPED. */
	public record Mapped(int number) {

		public void write(EncodeBuffer out) throws WireException {
			writeInt(out, this.number);
		}

		public static Mapped read(PayloadReader in) throws WireException {
			Mapped mapped = new Mapped(in.readInt());
			in.requireEnd();
			return mapped;
		}

	}

	/** The fields of RING. */
	public record Ring(int bell) {

		public void write(EncodeBuffer out) {
			writeInt(out, this.bell);
		}

		public static Ring read(PayloadReader in) throws WireException {
			Ring ring = new Ring(in.readInt());
			in.requireEnd();
			return ring;
		}

	}

	/** The fields of CHECK. */
	public record Check(int lane, long sequence) {

		public void write(EncodeBuffer out) {
			writeInt(out, this.lane);
			writeLong(out, this.sequence);
		}

		public static Check read(PayloadReader in) throws WireException {
			Check check = new Check(in.readInt(), in.readLong());
			in.requireEnd();
			return check;
		}

	}

	/** The fields of BIND. */
	public record Bind(String contract, String hash, Set<String> codecs) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.contract);
			writeText(out, this.hash);
			writeList(out, this.codecs);
		}

		public static Bind read(PayloadReader in) throws WireException {
			Bind bind = new Bind(in.readString(), in.readString(), readList(in));
			in.requireEnd();
			return bind;
		}

	}

	/** The fields of BOUND. */
	public record Bound(String codec, String reason, Set<String> codecs) {

		public void write(EncodeBuffer out) throws WireException {
			writeText(out, this.codec);
			writeReason(out, this.reason);
			writeList(out, this.codecs);
		}

		public static Bound read(PayloadReader in) throws WireException {
			Bound bound = new Bound(in.readString(), in.readString(), readList(in));
			in.requireEnd();
			return bound;
		}

	}

}
