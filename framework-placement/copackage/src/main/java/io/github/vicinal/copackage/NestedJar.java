package io.github.vicinal.copackage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * A library within the jar of an application, read as class loaders read it: by the
 * directory at its end. So only what is wanted is unpacked, and the checksums of all
 * entries are known without unpacking any. The JDK reads directories of files only, and
 * streams by unpacking all that they pass.
 */
final class NestedJar {

	/** More than any entry of a library has; guards against bombs. */
	private static final int MAX_ENTRY_BYTES = 32 << 20;

	private static final int MAX_ENTRIES = 200_000;

	private static final int END_SIGNATURE = 0x06054b50;

	private static final int END_BYTES = 22;

	/**
	 * Offsets in the record at the end: number of entries, bytes of the directory, and
	 * where it begins.
	 */
	private static final int END_ENTRIES = 10;

	private static final int END_DIRECTORY_BYTES = 12;

	private static final int END_DIRECTORY_OFFSET = 16;

	private static final int END_COMMENT_BYTES = 20;

	/** Jars of 65,535 entries or more have this record and its locator before the end. */
	private static final int WIDE_END_SIGNATURE = 0x06064b50;

	private static final int WIDE_END_BYTES = 56;

	private static final int WIDE_END_ENTRIES = 32;

	private static final int WIDE_END_DIRECTORY_BYTES = 40;

	private static final int WIDE_END_DIRECTORY_OFFSET = 48;

	private static final int LOCATOR_SIGNATURE = 0x07064b50;

	private static final int LOCATOR_BYTES = 20;

	private static final int ENTRY_SIGNATURE = 0x02014b50;

	private static final int ENTRY_BYTES = 46;

	/** Offsets in an entry of the directory. */
	private static final int ENTRY_METHOD = 10;

	private static final int ENTRY_CHECKSUM = 16;

	private static final int ENTRY_PACKED_BYTES = 20;

	private static final int ENTRY_NAME_BYTES = 28;

	private static final int ENTRY_EXTRA_BYTES = 30;

	private static final int ENTRY_COMMENT_BYTES = 32;

	private static final int ENTRY_OFFSET = 42;

	private static final int LOCAL_SIGNATURE = 0x04034b50;

	private static final int LOCAL_BYTES = 30;

	/** Offsets before the content of an entry. */
	private static final int LOCAL_NAME_BYTES = 26;

	private static final int LOCAL_EXTRA_BYTES = 28;

	private static final int STORED = 0;

	private static final int DEFLATED = 8;

	private static final int FIRST_BUFFER_BYTES = 16 * 1024;

	private final String name;

	private final ByteBuffer bytes;

	/** Offset of the first entry's content: something else may be before the library. */
	private final int base;

	private final List<Entry> files;

	/**
	 * Reads the directory of a library.
	 * @param bytes the library
	 * @param name its name, for people
	 * @throws ZipException if it is damaged
	 */
	NestedJar(byte[] bytes, String name) throws ZipException {
		this.name = name;
		this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
		int end = end();
		long entries = unsignedShort(end + END_ENTRIES);
		long size = unsigned(end + END_DIRECTORY_BYTES);
		long offset = unsigned(end + END_DIRECTORY_OFFSET);
		int locator = end - LOCATOR_BYTES;
		int wide = locator - WIDE_END_BYTES;
		if (wide >= 0 && this.bytes.getInt(locator) == LOCATOR_SIGNATURE
				&& this.bytes.getInt(wide) == WIDE_END_SIGNATURE) {
			end = wide;
			entries = this.bytes.getLong(wide + WIDE_END_ENTRIES);
			size = this.bytes.getLong(wide + WIDE_END_DIRECTORY_BYTES);
			offset = this.bytes.getLong(wide + WIDE_END_DIRECTORY_OFFSET);
		}
		if (size < 0 || size > end || offset < 0 || offset > end - size) {
			throw damaged("its directory is larger than it");
		}
		this.base = (int) (end - size - offset);
		this.files = read((int) (end - size), end, entries);
	}

	private int end() throws ZipException {
		int end = end(this.bytes);
		if (end < 0) {
			throw damaged("it has no directory at its end");
		}
		return end;
	}

	/**
	 * Returns where the record begins that a jar ends with.
	 * @param bytes the jar, or its end, with the order of bytes of archives
	 * @return the offset, or -1
	 */
	static int end(ByteBuffer bytes) {
		for (int at = bytes.limit() - END_BYTES; at >= 0 && at >= bytes.limit() - END_BYTES - 0xFFFF; at--) {
			if (bytes.getInt(at) == END_SIGNATURE
					&& at + END_BYTES + (bytes.getShort(at + END_COMMENT_BYTES) & 0xFFFF) == bytes.limit()) {
				return at;
			}
		}
		return -1;
	}

	/** Class loaders also refuse a directory that does not match its end record. */
	private List<Entry> read(int begin, int end, long entries) throws ZipException {
		List<Entry> read = new ArrayList<>();
		int at = begin;
		int records = 0;
		while (end - at >= ENTRY_BYTES && this.bytes.getInt(at) == ENTRY_SIGNATURE) {
			int nameBytes = unsignedShort(at + ENTRY_NAME_BYTES);
			int next = at + ENTRY_BYTES + nameBytes + unsignedShort(at + ENTRY_EXTRA_BYTES)
					+ unsignedShort(at + ENTRY_COMMENT_BYTES);
			records++;
			if (next > end || records > MAX_ENTRIES) {
				throw damaged("its directory is damaged, or has more than %d entries".formatted(MAX_ENTRIES));
			}
			String path = new String(this.bytes.array(), at + ENTRY_BYTES, nameBytes, StandardCharsets.UTF_8);
			if (!path.endsWith("/")) {
				read.add(new Entry(path, unsigned(at + ENTRY_CHECKSUM), at));
			}
			at = next;
		}
		if (at != end || records != entries) {
			throw damaged("its central directory does not match its end record");
		}
		return read;
	}

	private long unsigned(int at) {
		return this.bytes.getInt(at) & 0xFFFF_FFFFL;
	}

	private int unsignedShort(int at) {
		return this.bytes.getShort(at) & 0xFFFF;
	}

	private ZipException damaged(String what) {
		return new ZipException("its library %s: %s".formatted(this.name, what));
	}

	/** Returns its entries without directories. */
	List<Entry> files() {
		return this.files;
	}

	/** Returns its classes without those for other versions of Java. */
	List<Entry> classes() {
		return this.files.stream().filter((entry) -> isClass(entry.path())).toList();
	}

	/** Returns whether a path is that of a class for all versions of Java. */
	static boolean isClass(String path) {
		return path.endsWith(".class") && !path.startsWith("META-INF/") && !path.endsWith("module-info.class");
	}

	/**
	 * Unpacks an entry.
	 * @throws InvalidInputException if it is larger than entries are
	 * @throws ZipException if it is damaged
	 */
	byte[] bytes(Entry entry) throws ZipException {
		int begin = begin(entry);
		int packed = (int) unsigned(entry.at() + ENTRY_PACKED_BYTES);
		byte[] content = switch (unsignedShort(entry.at() + ENTRY_METHOD)) {
			case STORED -> stored(entry, begin, packed);
			case DEFLATED -> inflated(entry, begin, packed);
			default -> throw damaged("%s is packed in a way that Java does not know".formatted(entry.path()));
		};
		CRC32 checksum = new CRC32();
		checksum.update(content);
		if (checksum.getValue() != entry.checksum()) {
			throw damaged("the checksum of %s is wrong".formatted(entry.path()));
		}
		return content;
	}

	/**
	 * Unpacks the first bytes of an entry; its checksum is not looked at.
	 * @throws ZipException if it is damaged
	 */
	byte[] head(Entry entry, int most) throws ZipException {
		int begin = begin(entry);
		int packed = (int) unsigned(entry.at() + ENTRY_PACKED_BYTES);
		if (unsignedShort(entry.at() + ENTRY_METHOD) != DEFLATED) {
			return Arrays.copyOfRange(this.bytes.array(), begin, begin + Math.min(most, packed));
		}
		Inflater inflater = new Inflater(true);
		try {
			inflater.setInput(this.bytes.array(), begin, packed);
			byte[] content = new byte[most];
			return Arrays.copyOf(content, inflater.inflate(content));
		}
		catch (DataFormatException ex) {
			throw unpacked(entry, ex);
		}
		finally {
			inflater.end();
		}
	}

	private ZipException unpacked(Entry entry, DataFormatException ex) {
		return damaged("%s cannot be unpacked (%s)".formatted(entry.path(), ex.getMessage()));
	}

	/** Returns where the content of an entry begins, all of which is there. */
	private int begin(Entry entry) throws ZipException {
		long packed = unsigned(entry.at() + ENTRY_PACKED_BYTES);
		long local = this.base + unsigned(entry.at() + ENTRY_OFFSET);
		if (local > this.bytes.limit() - LOCAL_BYTES || this.bytes.getInt((int) local) != LOCAL_SIGNATURE) {
			throw damaged("%s is not where its directory says".formatted(entry.path()));
		}
		long begin = local + LOCAL_BYTES + unsignedShort((int) local + LOCAL_NAME_BYTES)
				+ unsignedShort((int) local + LOCAL_EXTRA_BYTES);
		if (begin + packed > this.bytes.limit()) {
			throw damaged("%s goes beyond its end".formatted(entry.path()));
		}
		return (int) begin;
	}

	private byte[] stored(Entry entry, int begin, int length) {
		requireSize(entry, length);
		return Arrays.copyOfRange(this.bytes.array(), begin, begin + length);
	}

	private byte[] inflated(Entry entry, int begin, int length) throws ZipException {
		Inflater inflater = new Inflater(true);
		try {
			inflater.setInput(this.bytes.array(), begin, length);
			byte[] content = new byte[Math.max(FIRST_BUFFER_BYTES, (int) Math.min(4L * length, MAX_ENTRY_BYTES))];
			int count = 0;
			while (!inflater.finished()) {
				if (count == content.length) {
					requireSize(entry, count + 1);
					content = Arrays.copyOf(content, (int) Math.min(2L * count, MAX_ENTRY_BYTES + 1L));
				}
				int read = inflater.inflate(content, count, content.length - count);
				if (read == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
					throw damaged("%s ends early".formatted(entry.path()));
				}
				count += read;
			}
			requireSize(entry, count);
			return Arrays.copyOf(content, count);
		}
		catch (DataFormatException ex) {
			throw unpacked(entry, ex);
		}
		finally {
			inflater.end();
		}
	}

	private void requireSize(Entry entry, int size) {
		if (size > MAX_ENTRY_BYTES) {
			throw new InvalidInputException(
					"'%s' has an entry '%s' of more than %d bytes".formatted(this.name, entry.path(), MAX_ENTRY_BYTES));
		}
	}

	/**
	 * An entry.
	 *
	 * @param path its name
	 * @param checksum the CRC-32 of its bytes, as the directory says
	 * @param at where it is in the directory
	 */
	record Entry(String path, long checksum, int at) {
	}

}
