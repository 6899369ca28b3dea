package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Path;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.waiting.WaitMode;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Bytes in lanes, without contracts and codecs: for measurements and for tests of the
 * engine. Internal to Vicinal.
 */
public final class RawLanes {

	private RawLanes() {
	}

	/**
	 * Serves bytes until it is closed.
	 * @param directory a rendezvous directory
	 * @param identity names the server
	 * @param options limits
	 * @param fifoOnly whether futexes are left alone
	 * @param handler answers requests, on the receiver's thread
	 * @return the running server
	 */
	public static ShmPathServer serve(Path directory, PeerIdentity identity, ShmOptions options, boolean fifoOnly,
			LaneServer.Handler handler) {
		ShmPathServer server = new ShmPathServer(identity, Rendezvous.open(directory.toString()), new ServiceRegistry(),
				options, fifoOnly ? BellSupport.fifoOnly() : BellSupport.detect(), handler);
		server.start();
		String problem = server.unavailable().orElse(null);
		if (problem != null) {
			throw new IllegalStateException(problem);
		}
		return server;
	}

	/**
	 * An echo.
	 * @return a handler that answers each request with its own bytes
	 */
	public static LaneServer.Handler echo() {
		return (lane, batch) -> {
			byte[] request = lane.request();
			lane.respond(request, lane.length());
		};
	}

	/**
	 * Connects to a server.
	 * @param directory a rendezvous directory
	 * @param instanceId the server's
	 * @param options limits
	 * @param fifoOnly whether futexes are left alone
	 * @return a connected client
	 * @throws IOException if it cannot be connected
	 */
	public static Client connect(Path directory, String instanceId, ShmOptions options, boolean fifoOnly)
			throws IOException {
		Watchdog watchdog = new Watchdog("vicinal-shm-raw-watchdog");
		ControlLoop loop = new ControlLoop("vicinal-shm-raw-control");
		try {
			PeerCheck check = PeerCheck.sameUser(Rendezvous.open(directory.toString()));
			ShmPeer peer = new ShmPeer(instanceId, options, new Codecs(JsonMapper.builder().build(), false),
					(rule, text) -> {
					});
			peer.connect(PeerIdentity.create(PeerIdentity.NO_HOST).instanceId(), new MemoryFiles(directory), check,
					watchdog, loop, fifoOnly ? BellSupport.fifoOnly() : BellSupport.detect());
			return new Client(peer, watchdog, loop);
		}
		catch (WireException ex) {
			loop.close();
			throw new IOException(ex.text(), ex);
		}
	}

	/** The client's end. Thread-safe. */
	public static final class Client implements AutoCloseable {

		private final ShmPeer peer;

		private final Watchdog watchdog;

		private final ControlLoop loop;

		Client(ShmPeer peer, Watchdog watchdog, ControlLoop loop) {
			this.peer = peer;
			this.watchdog = watchdog;
			this.loop = loop;
		}

		/**
		 * Returns the lanes. A caller acquires one, exchanges as often as it likes, and
		 * releases it.
		 * @return the lanes
		 */
		public LaneClient lanes() {
			return this.peer.lanes();
		}

		/**
		 * Changes how both sides wait, while calls are made.
		 * @param name of a way to wait, such as {@code learned} or {@code spin-2000}
		 */
		public void waiting(String name) {
			lanes().mode(WaitMode.parse(name));
		}

		@Override
		public void close() {
			this.peer.close("the client was closed");
			this.loop.close();
			this.watchdog.close();
		}

	}

}
