package io.github.vicinal.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Lets the owner of the layout ask for the state of applications, and stop and start
 * them: a socket in its directory that nobody else may open. One line is the command. The
 * answer is a line with the exit code, and text until the end of the stream.
 */
final class ControlSocket implements AutoCloseable {

	private static final int MAX_COMMAND_CHARS = 1024;

	private final Path file;

	private final ServerSocketChannel server;

	/** Held as long as the launcher runs; {@code null} where there are no locks. */
	private final @Nullable FileChannel lock;

	private final Commands commands;

	private ControlSocket(Path file, ServerSocketChannel server, @Nullable FileChannel lock, Commands commands) {
		this.file = file;
		this.server = server;
		this.lock = lock;
		this.commands = commands;
	}

	/**
	 * Opens the socket.
	 * @param directory of the layout
	 * @throws InvalidLayoutException if another launcher runs the same layout
	 */
	static ControlSocket open(Path directory, Commands commands) throws IOException {
		Path file = directory.resolve(Layout.SOCKET);
		FileChannel lock = lock(directory);
		ServerSocketChannel server = null;
		try {
			if (answers(file)) {
				throw runAlready(directory);
			}
			// One that was killed has left it.
			Files.deleteIfExists(file);
			server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
			try (SocketPath path = SocketPath.of(file)) {
				server.bind(path.address());
			}
			Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
		}
		catch (IOException | RuntimeException ex) {
			if (server != null) {
				server.close();
			}
			if (lock != null) {
				lock.close();
			}
			throw ex;
		}
		ControlSocket control = new ControlSocket(file, server, lock, commands);
		Thread thread = new Thread(control::serve, "launcher-control");
		thread.setDaemon(true);
		thread.start();
		return control;
	}

	/**
	 * Takes the lock of a directory, which only one of two launchers that start at the
	 * same time gets. The system releases it however the launcher ends; the file stays.
	 */
	private static @Nullable FileChannel lock(Path directory) throws IOException {
		FileChannel channel = FileChannel.open(directory.resolve(Layout.LOCK), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		try {
			if (channel.tryLock() != null) {
				return channel;
			}
		}
		catch (OverlappingFileLockException ex) {
			// This JVM has it.
		}
		catch (IOException ex) {
			// A file system without locks.
			channel.close();
			return null;
		}
		channel.close();
		throw runAlready(directory);
	}

	private static InvalidLayoutException runAlready(Path directory) {
		return new InvalidLayoutException(
				"'%s' is run by another launcher already; stop that one, or build a second layout"
					.formatted(directory));
	}

	/** Returns whether a launcher accepts connections. */
	static boolean answers(Path file) {
		if (!Files.exists(file)) {
			return false;
		}
		try (SocketPath path = SocketPath.of(file); SocketChannel channel = SocketChannel.open(path.address())) {
			return channel.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void serve() {
		while (this.server.isOpen()) {
			try {
				SocketChannel channel = this.server.accept();
				Thread thread = new Thread(() -> answer(channel), "launcher-command");
				thread.setDaemon(true);
				thread.start();
			}
			catch (ClosedChannelException ex) {
				return;
			}
			catch (IOException ex) {
				System.err.println("[launcher] A command could not be received: " + ex.getMessage());
			}
			catch (OutOfMemoryError ex) {
				// The next command may find room, and stop what has filled the heap.
			}
		}
	}

	/** The permissions of the file hold from a moment after it is there. */
	private boolean isOwner(SocketChannel channel) {
		try {
			return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(Files.getOwner(this.file));
		}
		catch (IOException | UnsupportedOperationException ex) {
			return false;
		}
	}

	private static void close(SocketChannel channel) {
		try {
			channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

	private void answer(SocketChannel channel) {
		if (!isOwner(channel)) {
			close(channel);
			return;
		}
		try (channel;
				BufferedReader reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8),
						MAX_COMMAND_CHARS)) {
			StringBuilder line = new StringBuilder();
			int next = reader.read();
			while (next >= 0 && next != '\n' && line.length() < MAX_COMMAND_CHARS) {
				line.append((char) next);
				next = reader.read();
			}
			Commands.Answer given = this.commands.run(line.toString());
			ByteBuffer answer = StandardCharsets.UTF_8.encode(given.code() + "\n" + given.text());
			while (answer.hasRemaining()) {
				channel.write(answer);
			}
		}
		catch (IOException ex) {
			// The client has gone.
		}
	}

	/**
	 * Sends a command to the launcher of a layout.
	 * @param directory of the layout
	 * @param command a line
	 * @return the answer
	 * @throws IOException if no launcher runs it, or it ends before it has answered
	 */
	static Commands.Answer send(Path directory, String command) throws IOException {
		Path file = directory.resolve(Layout.SOCKET);
		if (!Files.exists(file)) {
			throw new IOException("No launcher runs '%s'; start one with 'java -jar'".formatted(directory));
		}
		try (SocketPath path = SocketPath.of(file); SocketChannel channel = connect(path, directory)) {
			channel.write(StandardCharsets.UTF_8.encode(command + "\n"));
			StringBuilder answer = new StringBuilder();
			try (BufferedReader reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
				String code = reader.readLine();
				if (code == null || !code.matches("\\d")) {
					throw new IOException(
							"The launcher of '%s' has not answered; it has ended, or belongs to another user"
								.formatted(directory));
				}
				int next = reader.read();
				while (next >= 0) {
					answer.append((char) next);
					next = reader.read();
				}
				return new Commands.Answer(Integer.parseInt(code), answer.toString());
			}
		}
	}

	private static SocketChannel connect(SocketPath path, Path directory) throws IOException {
		try {
			return SocketChannel.open(path.address());
		}
		catch (ConnectException ex) {
			throw new IOException("No launcher runs '%s' any more; start one with 'java -jar'".formatted(directory),
					ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		Files.deleteIfExists(this.file);
		if (this.lock != null) {
			this.lock.close();
		}
	}

}
