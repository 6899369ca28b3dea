package io.github.vicinal.launcher;

import java.io.Closeable;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Path by which a socket is bound or connected to. The system takes about 100 bytes only,
 * so the directory of a longer one is reached through a link, which is deleted
 * afterwards. The socket itself is where it should be.
 */
final class SocketPath implements Closeable {

	/** Fewer than any system takes: Linux 107, macOS 103. */
	private static final int MAX_BYTES = 100;

	private static final String LINK = "layout";

	private final Path path;

	/** Directory with the link. */
	private final @Nullable Path temporary;

	private SocketPath(Path path, @Nullable Path temporary) {
		this.path = path;
		this.temporary = temporary;
	}

	/**
	 * Returns a path that is short enough.
	 * @param file the socket
	 * @throws IOException if there can be no link
	 */
	static SocketPath of(Path file) throws IOException {
		Path directory = file.toAbsolutePath().getParent();
		if (file.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES || directory == null) {
			return new SocketPath(file, null);
		}
		Path temporary = Files.createTempDirectory("vicinal");
		try {
			Path link = Files.createSymbolicLink(temporary.resolve(LINK), directory);
			return new SocketPath(link.resolve(file.getFileName()), temporary);
		}
		catch (IOException | RuntimeException ex) {
			Files.delete(temporary);
			throw ex;
		}
	}

	UnixDomainSocketAddress address() {
		return UnixDomainSocketAddress.of(this.path);
	}

	@Override
	public void close() throws IOException {
		if (this.temporary != null) {
			Files.delete(this.temporary.resolve(LINK));
			Files.delete(this.temporary);
		}
	}

}
