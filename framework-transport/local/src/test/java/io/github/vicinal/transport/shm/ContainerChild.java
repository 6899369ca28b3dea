package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;

/**
 * Program in a container: a server that offers the paths between processes, or a client
 * that reports the path by which it has called that server.
 */
public final class ContainerChild {

	static final String FOUND = "-";

	/**
	 * File in which a server names itself to clients, as an announcement over HTTP does.
	 */
	static final int PORT = 8081;

	private static final Contract CONTRACT = Contracts.of(EchoContract.class);

	private ContainerChild() {
	}

	/**
	 * Serves or calls.
	 * @param args the configured directory or {@value #FOUND}, and for a client the
	 * server's instance id and host id, or the address of the server's port
	 */
	public static void main(String[] args) throws Exception {
		Rendezvous rendezvous = Rendezvous.open(args[0].equals(FOUND) ? null : args[0]);
		if (args.length == 1) {
			serve(rendezvous);
		}
		else if (args[1].contains(":")) {
			call(rendezvous, ask(args[1]));
		}
		else {
			String host = (args.length > 2) ? args[2] : PeerIdentity.NO_HOST;
			call(rendezvous, new PeerIdentity(args[1], host));
		}
		System.exit(0);
	}

	private static PeerIdentity ask(String address) throws IOException {
		int colon = address.lastIndexOf(':');
		try (Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))) {
			String[] identity = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(" ");
			return new PeerIdentity(identity[0], identity[1]);
		}
	}

	/** Says who this is to everybody who connects. */
	private static void answer(ServerSocket listener, PeerIdentity identity) {
		Thread thread = new Thread(() -> {
			while (true) {
				try (Socket socket = listener.accept()) {
					socket.getOutputStream()
						.write((identity.instanceId() + " " + identity.hostId()).getBytes(StandardCharsets.UTF_8));
				}
				catch (IOException ex) {
					return;
				}
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	private static void serve(Rendezvous rendezvous) throws IOException {
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(CONTRACT));
		try (PathServer shm = new ShmPathServer(identity, rendezvous, services, ShmOptions.defaults());
				PathServer uds = new UdsPathServer(identity, rendezvous, services, UdsOptions.defaults());
				ServerSocket listener = new ServerSocket(PORT)) {
			answer(listener, identity);
			shm.start();
			uds.start();
			System.out.println("server shm " + shm.unavailable().orElse("offered"));
			System.out.println("server uds " + uds.unavailable().orElse("offered"));
			System.out.println("identity " + identity.instanceId() + " " + identity.hostId());
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone.
			}
		}
	}

	private static void call(Rendezvous rendezvous, PeerIdentity server) throws Exception {
		PeerIdentity self = PeerIdentity.create(rendezvous.hostId());
		try (PathProvider shm = new ShmPathProvider(self, rendezvous, Contracts.codecs(), ShmOptions.defaults());
				PathProvider uds = new UdsPathProvider(self, rendezvous, Contracts.codecs(), UdsOptions.defaults())) {
			if (!calls(shm, server) && !calls(uds, server)) {
				System.out.println("path http");
			}
		}
		System.out.println("ok");
	}

	private static boolean calls(PathProvider provider, PeerIdentity server) throws Exception {
		PathProvider.Attempt attempt = provider.connect(CONTRACT,
				new PeerAnnouncement(server, Set.of("shm", "uds"), CONTRACT.hash(), ""));
		if (attempt instanceof PathProvider.Unavailable unavailable) {
			System.out.println("no " + provider.kind().id() + ": " + unavailable.reason());
			return false;
		}
		try (CallPath path = ((PathProvider.Connected) attempt).path()) {
			for (int i = 0; i < 100; i++) {
				Object body = ((Reply.Value) path.call(Contracts.call(CONTRACT, "join", "a", i))).body();
				if (!("a-" + i).equals(body)) {
					throw new IllegalStateException("answered " + body);
				}
			}
			System.out
				.println(("path " + provider.kind().id() + " " + path.details().getOrDefault("bells", "")).strip());
			return true;
		}
	}

}
