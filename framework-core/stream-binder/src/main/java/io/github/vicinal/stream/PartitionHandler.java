package io.github.vicinal.stream;

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
	public void closing() {
		this.handler.closing();
	}

}
