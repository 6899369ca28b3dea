package io.github.vicinal.benchmarks.shm;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.LaneClient;

/** Vicinal's lanes, without contracts and codecs; both sides look at bytes in place. */
final class LanesTransport implements Transport {

	static final String INSTANCE_FILE = "lanes.instance";

	private static final int CACHE_LINE = 64;

	private final String waiting;

	/**
	 * Creates the transport.
	 * @param waiting how both sides wait
	 */
	LanesTransport(String waiting) {
		this.waiting = waiting;
	}

	/** One server serves all ways to wait: each client has a segment of its own. */
	@Override
	public AutoCloseable serve(Path directory) throws Exception {
		Path file = directory.resolve(INSTANCE_FILE);
		if (Files.exists(file)) {
			return () -> {
			};
		}
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		AutoCloseable server = RawLanes.serve(directory, identity, ShmOptions.defaults(), false, (lane, batch) -> {
			ByteBuffer request = lane.view();
			Work.run(request.getInt(request.position()));
			lane.respond(request);
		});
		Files.writeString(file, identity.instanceId());
		return server;
	}

	@Override
	public Client connect(Path directory) throws Exception {
		RawLanes.Client client = RawLanes.connect(directory, Files.readString(directory.resolve(INSTANCE_FILE)),
				ShmOptions.builder().waiting(this.waiting).build(), false);
		return new Client() {

			@Override
			public Caller caller(int number) {
				return (body) -> call(client.lanes(), body);
			}

			@Override
			public void close() {
				client.close();
			}

		};
	}

	private static int call(LaneClient lanes, byte[] body) throws Exception {
		ClientLane lane = lanes.acquire(ClientLane.NO_DEADLINE);
		try {
			return look(lane.exchangeInPlace(body, body.length, ClientLane.NO_DEADLINE));
		}
		finally {
			lanes.release(lane);
		}
	}

	/**
	 * Others have copied the answer when they have it: here each cache line is fetched.
	 */
	private static int look(ByteBuffer answer) {
		int sum = 0;
		for (int i = answer.position(); i < answer.limit(); i += CACHE_LINE) {
			sum += answer.get(i);
		}
		if (sum == Integer.MIN_VALUE) {
			throw new IllegalStateException("No sum of bytes is so small");
		}
		return answer.remaining();
	}

}
