package io.github.vicinal.transport.shm.topic;

import java.io.IOException;

import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;

/**
 * Address of a publishing process of another host.
 *
 * @param carrier carries its topics
 * @param address an address that the carrier has resolved
 */
record RemoteAddress(TopicCarrier carrier, String address) {

	TopicConnection connect() throws IOException {
		return this.carrier.connect(this.address);
	}

	@Override
	public String toString() {
		return "%s://%s".formatted(this.carrier.kind(), this.address);
	}

}
