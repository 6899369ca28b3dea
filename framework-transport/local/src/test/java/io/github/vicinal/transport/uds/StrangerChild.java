package io.github.vicinal.transport.uds;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.wire.SocketFile;

/**
 * Another user, who makes the rendezvous directory of a victim, lets everybody in, and
 * listens under the instance id of the victim's server.
 */
public final class StrangerChild implements AutoCloseable {

	static final int UID = 4712;

	private final Process process;

	private StrangerChild(Process process) {
		this.process = process;
	}

	/**
	 * Starts the attack; it is under way when this returns.
	 * @return the attacker, or {@code null} if a process cannot become another user here
	 */
	static StrangerChild start(Path directory, String token, PeerIdentity victim) throws IOException {
		Process process;
		try {
			process = new ProcessBuilder(List.of("setpriv", "--reuid", Integer.toString(UID), "--clear-groups",
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
					"-XX:+UseSerialGC", "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
					StrangerChild.class.getName(), directory.toString(), token, victim.instanceId(), victim.hostId()))
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
		}
		catch (IOException ex) {
			return null;
		}
		StrangerChild child = new StrangerChild(process);
		BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		if (!"ready".equals(output.readLine())) {
			process.destroyForcibly();
			return null;
		}
		return child;
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	/**
	 * Listens until standard input ends.
	 * @param args the directory, the victim's token, instance id and host id
	 */
	public static void main(String[] args) throws IOException {
		Path directory = Path.of(args[0]);
		Files.createDirectory(directory);
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
		Files.writeString(directory.resolve("host-token"), args[1]);
		Rendezvous rendezvous = Rendezvous.open(args[0]);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(Contracts.of(EchoContract.class), (frame) -> Contracts.value("stolen")));
		try (UdsPathServer server = new UdsPathServer(new PeerIdentity(args[2], args[3]), rendezvous, services,
				UdsOptions.defaults(), (channel) -> {
				}, Thread::new); ServerSocketChannel lanes = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			server.start();
			Path lanesFile = SocketFile.of(directory, args[2], SocketFile.LANES);
			lanes.bind(UnixDomainSocketAddress.of(lanesFile));
			Files.setPosixFilePermissions(lanesFile, PosixFilePermissions.fromString("rwxrwxrwx"));
			Files.setPosixFilePermissions(SocketFile.of(directory, args[2], SocketFile.CALLS),
					PosixFilePermissions.fromString("rwxrwxrwx"));
			Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone.
			}
		}
	}

}
