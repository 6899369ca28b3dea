package io.github.vicinal.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;

/**
 * Leaves out the messages of other partitions of a durable topic, where all partitions
 * are in one queue.
 *
 * @param handler handles the others
 * @param partition number of the partition
 */
record PartitionHandler(MessageHandler<byte[]> handler, int partition) implements MessageHandler<byte[]> {

	@Override
	public void handle(Message<byte[]> message) throws Exception {
		if (HeaderMapping.partition(message.headers()) == this.partition) {
			this.handler.handle(message);
		}
	}

	@Override
	public void handleAll(List<Message<byte[]>> messages) throws Exception {
		List<Message<byte[]>> own = new ArrayList<>();
		List<Integer> indexes = new ArrayList<>();
		for (int i = 0; i < messages.size(); i++) {
			if (HeaderMapping.partition(messages.get(i).headers()) == this.partition) {
				own.add(messages.get(i));
				indexes.add(i);
			}
		}
		if (own.isEmpty()) {
			return;
		}
		try {
			this.handler.handleAll(List.copyOf(own));
		}
		catch (BatchFailedException ex) {
			if (ex.index() < 0 || ex.index() >= own.size()) {
				throw ex;
			}
			throw new BatchFailedException(indexes.get(ex.index()), Objects.requireNonNull(ex.getCause()));
		}
	}

	@Override
	public void closing() {
		this.handler.closing();
	}

}
