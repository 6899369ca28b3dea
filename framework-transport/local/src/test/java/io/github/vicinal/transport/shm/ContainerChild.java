package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.util.Set;

import io.github.vicinal.channel.Path;
import io.github.vicinal.channel.PathProvider;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.peer.PathKind;
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
 * What runs in a container: a server that offers the paths between processes, or a client
 * that says by which of them it has called that server.
 */
public final class ContainerChild {

	static final String FOUND = "-";

	private static final Contract CONTRACT = Contracts.of(EchoContract.class);

	private ContainerChild() {
	}

	/**
	 * Serves or calls.
	 * @param args the configured directory or {@value #FOUND}, and for a client the
	 * server's instance id and host id
	 */
	public static void main(String[] args) throws Exception {
		Rendezvous rendezvous = Rendezvous.open(args[0].equals(FOUND) ? null : args[0]);
		if (args.length == 1) {
			serve(rendezvous);
		}
		else {
			String host = (args.length > 2) ? args[2] : PeerIdentity.NO_HOST;
			call(rendezvous, new PeerIdentity(args[1], host));
		}
		System.exit(0);
	}

	private static void serve(Rendezvous rendezvous) throws IOException {
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(CONTRACT));
		try (PathServer shm = new ShmPathServer(identity, rendezvous, services, ShmOptions.defaults());
				PathServer uds = new UdsPathServer(identity, rendezvous, services, UdsOptions.defaults())) {
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
				new PeerAnnouncement(server, Set.of(PathKind.SHM, PathKind.UDS), CONTRACT.hash(), ""));
		if (attempt instanceof PathProvider.Unavailable unavailable) {
			System.out.println("no " + provider.kind().id() + ": " + unavailable.reason());
			return false;
		}
		try (Path path = ((PathProvider.Connected) attempt).path()) {
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
