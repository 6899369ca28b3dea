package io.github.vicinal.transport.testing.topic;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;

/** Handler that remembers what it is given, and may be held up. Thread-safe. */
class Recorder implements MessageHandler<byte[]> {

	private final CountDownLatch gate;

	private final List<Message<byte[]>> begun = new ArrayList<>();

	private final List<Message<byte[]>> handled = new ArrayList<>();

	private final List<Message<byte[]>> failed = new ArrayList<>();

	private final List<Integer> batches = new ArrayList<>();

	Recorder() {
		this(true);
	}

	/**
	 * Creates a recorder.
	 * @param open whether it handles messages at once; otherwise from {@link #open} on
	 */
	Recorder(boolean open) {
		this.gate = new CountDownLatch(open ? 0 : 1);
	}

	void open() {
		this.gate.countDown();
	}

	@Override
	public void handle(Message<byte[]> message) throws Exception {
		record(this.begun, message);
		this.gate.await();
		handling(message);
		record(this.handled, message);
	}

	@Override
	public void handleAll(List<Message<byte[]>> messages) throws Exception {
		synchronized (this) {
			this.batches.add(messages.size());
		}
		MessageHandler.super.handleAll(messages);
	}

	/** Called before a message counts as handled. */
	void handling(Message<byte[]> message) throws Exception {
		// Succeeds.
	}

	/** Remembers the message as it was published. */
	@Override
	public void failed(Message<byte[]> message, byte[] published, Exception cause) {
		record(this.failed, new Message<>(message.topic(), published, message.headers(), message.publisher(),
				message.sequence(), message.publishedNanos(), message.redelivered()));
	}

	private synchronized void record(List<Message<byte[]>> list, Message<byte[]> message) {
		list.add(message);
	}

	/** Returns all attempts. */
	synchronized List<Message<byte[]>> begun() {
		return List.copyOf(this.begun);
	}

	synchronized List<Message<byte[]>> handled() {
		return List.copyOf(this.handled);
	}

	synchronized List<Message<byte[]>> failed() {
		return List.copyOf(this.failed);
	}

	synchronized List<Integer> batches() {
		return List.copyOf(this.batches);
	}

	List<Integer> numbers() {
		return handled().stream().map(TopicBehaviours::number).toList();
	}

}
