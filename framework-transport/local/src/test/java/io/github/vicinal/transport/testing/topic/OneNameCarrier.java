package io.github.vicinal.transport.testing.topic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;

/**
 * A carrier for which any name stands for all publishers, as that of a headless service
 * does.
 *
 * @param carrier carries the topics
 * @param publishers returns where publishers are
 */
record OneNameCarrier(TopicCarrier carrier, Supplier<List<String>> publishers) implements TopicCarrier {

	@Override
	public String kind() {
		return this.carrier.kind();
	}

	@Override
	public void serve(Consumer<TopicConnection> acceptor) throws IOException {
		this.carrier.serve(acceptor);
	}

	@Override
	public List<String> resolve(String address) throws IOException {
		List<String> all = new ArrayList<>();
		for (String each : this.publishers.get()) {
			all.addAll(this.carrier.resolve(each));
		}
		return all;
	}

	@Override
	public TopicConnection connect(String address) throws IOException {
		return this.carrier.connect(address);
	}

}
