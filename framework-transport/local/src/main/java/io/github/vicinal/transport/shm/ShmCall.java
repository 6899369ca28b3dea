package io.github.vicinal.transport.shm;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.ServerLane;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the calls of one lane, one at a time, on the thread that received them.
 */
final class ShmCall implements Runnable {

	/**
	 * Payload size above which another thread should receive while this one copies.
	 */
	private static final int LARGE_BYTES = 256 * 1024;

	private static final Logger logger = LoggerFactory.getLogger(ShmCall.class);

	private static final byte[] NONE = {};

	private final ShmConnection connection;

	private final ServerLane lane;

	private final FrameHeader header = new FrameHeader();

	private byte[] request = NONE;

	/**
	 * Server that this thread receives for. Once a call is answered, another may follow.
	 */
	private @Nullable LaneServer receiving;

	/**
	 * Whether the thread had to wait for its permit; such a time says nothing about the
	 * handler.
	 */
	private boolean waited;

	ShmCall(ShmConnection connection, ServerLane lane) {
		this.connection = connection;
		this.lane = lane;
	}

	/** Gives the receiver's role away first, unless the call is known to be short. */
	void receive(LaneServer lanes, int batch) throws WireException {
		if (!this.connection.begin()) {
			respond(refusal(Refusal.SHUTTING_DOWN, 0, "the server is shutting down"));
			return;
		}
		try {
			serve(lanes, batch);
		}
		finally {
			this.connection.done();
		}
	}

	private void serve(LaneServer lanes, int batch) throws WireException {
		if (this.lane.cancelled()) {
			respond(refusal(Refusal.DEADLINE, 0, "the caller has given up"));
			return;
		}
		BoundContract contract = (this.lane.length() <= LARGE_BYTES) ? parse() : null;
		if (contract != null && contract.times(this.header.code).isShort(batch)) {
			long start = System.nanoTime() | 1;
			lanes.away(start);
			this.receiving = lanes;
			try {
				respond(execute(contract, start));
			}
			finally {
				lanes.back(start);
			}
			return;
		}
		ShmPathServer server = this.connection.server();
		if (server.beginLong()) {
			executeApart(lanes, contract);
		}
		else {
			respond(refusal(Refusal.CONNECTIONS, 0,
					"all %d threads of the server are in use".formatted(server.options().maxThreads())));
		}
	}

	/** While another thread may receive. */
	private void executeApart(LaneServer lanes, @Nullable BoundContract parsed) {
		try {
			EncodeBuffer answer;
			try {
				this.receiving = null;
				lanes.leave();
				answer = execute((parsed != null) ? parsed : parse(), System.nanoTime());
			}
			finally {
				// From here on the client may hold this thread, by a bell that it has
				// flooded or memory that it does not give back. It can hold one thread
				// per lane, and none that count for other clients. The permit is returned
				// before, because a caller that has the answer may call again at once.
				this.connection.server().endLong();
			}
			respond(answer);
		}
		catch (WireException ex) {
			this.connection.fail(ex.refusal(), ex.text());
		}
		catch (InternalError ex) {
			this.connection.fail(Refusal.MALFORMED, "the shared memory failed: " + ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// Without an answer the caller would wait forever.
			this.connection.fail(Refusal.FAILED, "a call failed in the transport: " + ex);
		}
	}

	/** Called before this thread waits for a permit, when it must not be the receiver. */
	@Override
	public void run() {
		this.waited = true;
		LaneServer lanes = this.receiving;
		if (lanes != null) {
			lanes.leave();
		}
	}

	private BoundContract parse() throws WireException {
		this.request = this.lane.request();
		FrameDescriptor.read(this.request, this.lane.length(), this.header, this.connection.limits());
		this.header.require(FrameType.CALL);
		BoundContract contract = this.connection.bound(this.header.binding);
		if (contract == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(this.header.binding));
		}
		contract.binding().method(this.header.code);
		return contract;
	}

	/** Returns the answer. A failure of one contract does not end the pair. */
	private EncodeBuffer execute(BoundContract contract, long start) throws WireException {
		try {
			return executeCall(contract, start);
		}
		catch (InternalError ex) {
			// The memory is gone, which does end the pair.
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			logger.error("A call of {} failed in the transport", contract.binding().contract().name(), ex);
			return refusal(Refusal.FAILED, FrameDescriptor.FLAG_EXECUTED, "the call failed in the transport: " + ex);
		}
	}

	private EncodeBuffer executeCall(BoundContract contract, long start) throws WireException {
		ServerBinding binding = contract.binding();
		ServerCalls calls = this.connection.server().calls();
		CallFrame call;
		try {
			call = calls.decode(binding, this.header, this.request);
		}
		catch (WireException ex) {
			if (ex.refusal() == Refusal.MALFORMED) {
				throw ex;
			}
			// This call alone is refused; it was not executed.
			return refusal(ex.refusal(), 0, ex.text());
		}
		// The buffer is not held while the handler runs.
		this.request = NONE;
		this.lane.forgetRequest();
		this.waited = false;
		Reply reply;
		try {
			reply = calls.invoke(binding, call, this);
		}
		catch (WireException ex) {
			return refusal(ex.refusal(), 0, ex.text());
		}
		if (!this.waited) {
			contract.times(this.header.code).observe(System.nanoTime() - start);
		}
		EncodeBuffer out = this.lane.out();
		calls.reply(out, reply, binding, call, this.header.correlation, this.header.binding,
				this.connection.maxReplyBytes());
		this.connection.executed(this.lane.length() + out.size());
		return out;
	}

	/**
	 * A handler that was interrupted has no answer: its caller learns that the server has
	 * gone.
	 */
	private void respond(EncodeBuffer answer) {
		if (!this.connection.server().cutOff()) {
			this.lane.respond(answer.array(), answer.size());
		}
	}

	private EncodeBuffer refusal(Refusal refusal, int flags, String text) {
		EncodeBuffer out = this.lane.out();
		int start = FrameDescriptor.begin(out);
		this.connection.server().calls().refusal(out, start, refusal, flags, text, this.header.correlation);
		return out;
	}

	/** A contract that a client has bound, with what is known of its methods. */
	@SuppressWarnings("ArrayRecordComponent")
	record BoundContract(ServerBinding binding, HandlerTimes[] times) {

		static BoundContract of(ServerBinding binding) {
			HandlerTimes[] times = new HandlerTimes[binding.methods().size()];
			for (int i = 0; i < times.length; i++) {
				times[i] = new HandlerTimes();
			}
			return new BoundContract(binding, times);
		}

		HandlerTimes times(int method) {
			return this.times[method];
		}

	}

}
