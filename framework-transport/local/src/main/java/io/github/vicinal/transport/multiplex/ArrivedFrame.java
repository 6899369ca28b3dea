package io.github.vicinal.transport.multiplex;

import java.util.concurrent.Executor;

import io.github.vicinal.path.CallFrame;
import org.jspecify.annotations.Nullable;

/**
 * A frame of type BIND or CALL at the server, until its answer has left. Thread-safe: a
 * thread of the server executes the call, and that of the connection may cancel it at any
 * time, also before it is decoded.
 */
public final class ArrivedFrame {

	private final ReceivedFrame frame;

	/** Guarded by this object. */
	private boolean cancelled;

	/** Guarded by this object; {@code null} until the call is decoded. */
	private @Nullable CallFrame call;

	ArrivedFrame(ReceivedFrame frame) {
		this.frame = frame;
	}

	/**
	 * Returns what the client sent.
	 * @return the frame
	 */
	public ReceivedFrame frame() {
		return this.frame;
	}

	long correlation() {
		return this.frame.header().correlation;
	}

	synchronized boolean isCancelled() {
		return this.cancelled;
	}

	/**
	 * Notes that the client does not wait for an answer any more.
	 * @param executor runs what the handler does about that
	 */
	void cancel(Executor executor) {
		CallFrame known;
		synchronized (this) {
			known = this.cancelled ? null : this.call;
			this.cancelled = true;
		}
		if (known != null) {
			executor.execute(known::abandon);
		}
	}

	/** Passes what the client says on to the call from now on. */
	void decoded(CallFrame decoded) {
		boolean late;
		synchronized (this) {
			this.call = decoded;
			late = this.cancelled;
		}
		if (late) {
			decoded.abandon();
		}
	}

}
