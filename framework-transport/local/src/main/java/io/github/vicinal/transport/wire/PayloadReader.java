package io.github.vicinal.transport.wire;

import java.nio.charset.StandardCharsets;

/** Reads fields from bytes that anybody may have written: each read is bounds-checked. */
public final class PayloadReader {

	private final byte[] bytes;

	private final int end;

	private int at;

	public PayloadReader(byte[] bytes, int offset, int length) {
		this.bytes = bytes;
		this.at = offset;
		this.end = offset + length;
	}

	public int readUnsignedShort() throws WireException {
		require(2);
		int value = (this.bytes[this.at] & 0xff) << 8 | (this.bytes[this.at + 1] & 0xff);
		this.at += 2;
		return value;
	}

	public int readInt() throws WireException {
		return readUnsignedShort() << 16 | readUnsignedShort();
	}

	public long readLong() throws WireException {
		return (long) readInt() << Integer.SIZE | (readInt() & 0xffff_ffffL);
	}

	public String readString() throws WireException {
		int length = readUnsignedShort();
		require(length);
		String text = new String(this.bytes, this.at, length, StandardCharsets.UTF_8);
		this.at += length;
		return text;
	}

	public int position() {
		return this.at;
	}

	public int remaining() {
		return this.end - this.at;
	}

	public void requireEnd() throws WireException {
		if (this.at != this.end) {
			throw new WireException(Refusal.MALFORMED, "%d bytes too many".formatted(remaining()));
		}
	}

	private void require(int length) throws WireException {
		if (length > remaining()) {
			throw new WireException(Refusal.MALFORMED,
					"a field of %d bytes in the last %d bytes".formatted(length, remaining()));
		}
	}

}
