package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes an archive in the format {@code ustar}. The same content gives the same bytes:
 * entries are in order, and have neither times nor names of users.
 */
final class TarWriter implements AutoCloseable {

	private static final int BLOCK = 512;

	private static final int MAX_NAME = 100;

	private static final int MAX_PREFIX = 155;

	private final OutputStream out;

	private final int user;

	/**
	 * Creates a writer.
	 * @param out where to; closed with the writer
	 * @param user number of the user and the group that own all entries
	 */
	TarWriter(OutputStream out, int user) {
		this.out = out;
		this.user = user;
	}

	/** Adds directories from the first to the last part of a path. */
	void directories(String path) throws IOException {
		for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
			header(path.substring(0, slash) + "/", 0755, 0, '5');
		}
		header(path + "/", 0755, 0, '5');
	}

	/** Adds all files of a directory, with the directories between. */
	void tree(Path directory, String path) throws IOException {
		List<Path> files;
		try (Stream<Path> walk = Files.walk(directory)) {
			files = walk.sorted().toList();
		}
		for (Path file : files) {
			String name = directory.relativize(file).toString();
			if (Files.isDirectory(file)) {
				header(name.isEmpty() ? path + "/" : path + "/" + name + "/", 0755, 0, '5');
			}
			else {
				file(file, path + "/" + name);
			}
		}
	}

	void file(Path file, String name) throws IOException {
		long size = Files.size(file);
		header(name, 0644, size, '0');
		try (InputStream in = Files.newInputStream(file)) {
			if (in.transferTo(this.out) != size) {
				throw new InvalidInputException("'%s' changed while it was read; build again".formatted(file));
			}
		}
		this.out.write(new byte[(int) ((BLOCK - size % BLOCK) % BLOCK)]);
	}

	private void header(String name, int mode, long size, char type) throws IOException {
		byte[] header = new byte[BLOCK];
		String prefix = "";
		String rest = name;
		if (length(name) > MAX_NAME) {
			int slash = name.lastIndexOf('/', name.length() - 2);
			while (slash > 0 && length(name.substring(0, slash)) > MAX_PREFIX) {
				slash = name.lastIndexOf('/', slash - 1);
			}
			if (slash <= 0 || length(name.substring(slash + 1)) > MAX_NAME) {
				throw new InvalidInputException("The name '%s' is too long for an image".formatted(name));
			}
			prefix = name.substring(0, slash);
			rest = name.substring(slash + 1);
		}
		put(header, 0, rest);
		put(header, 100, "%07o".formatted(mode));
		put(header, 108, "%07o".formatted(this.user));
		put(header, 116, "%07o".formatted(this.user));
		put(header, 124, "%011o".formatted(size));
		put(header, 136, "%011o".formatted(0));
		put(header, 148, "        ");
		header[156] = (byte) type;
		put(header, 257, "ustar\0" + "00");
		put(header, 345, prefix);
		int sum = 0;
		for (byte each : header) {
			sum += each & 0xff;
		}
		put(header, 148, "%06o\0 ".formatted(sum));
		this.out.write(header);
	}

	private static int length(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

	private static void put(byte[] header, int offset, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		System.arraycopy(bytes, 0, header, offset, bytes.length);
	}

	@Override
	public void close() throws IOException {
		this.out.write(new byte[2 * BLOCK]);
		this.out.close();
	}

}
