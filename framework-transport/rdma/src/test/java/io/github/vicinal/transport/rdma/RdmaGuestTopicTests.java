package io.github.vicinal.transport.rdma;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Topics over a real device, as {@link RdmaGuestTests}. */
@Tag("guest")
@Timeout(300)
class RdmaGuestTopicTests extends RdmaTopicsTestSupport {

	private static String address = "";

	@BeforeAll
	static void makeKeys() throws Exception {
		try (RdmaDevices found = new RdmaDevices(RdmaGuestTests.patient().build())) {
			address = ((RdmaSupport.Available) found.support()).address();
		}
		certificates.signed("host", "ca", "-ext", "san=ip:" + address);
	}

	@Override
	RdmaDevices devices() {
		RdmaDevices devices = new RdmaDevices(options());
		this.closeables.push(devices);
		return devices;
	}

	@Override
	RdmaOptions options() {
		return RdmaGuestTests.patient().build();
	}

	@ParameterizedTest
	@CsvSource({ "16, 5000", "102400, 100" })
	void messagesArriveOnceInOrderAndWhole(int bytes, int count) throws Exception {
		RdmaPathServer server = server();
		Topic<byte[]> topic = topics(this.first, "shop", List.of(carrier(server, tls("host")))).topic(NUMBERS);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(topics(this.second, "billing", List.of(carrier(server, tls("host"))),
				"rdma://" + server.address().orElseThrow())
			.subscribe(NUMBERS, SubscriberSettings.of("billing"),
					(message) -> received.add(checksum(message.payload()))));
		Random random = new Random(bytes);
		List<Long> sent = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			byte[] payload = new byte[bytes];
			random.nextBytes(payload);
			sent.add(checksum(payload));
			topic.publish(payload);
		}
		await().atMost(PATIENCE).until(() -> received.size() >= count);
		assertThat(received).isEqualTo(sent);
	}

	private static long checksum(byte[] bytes) {
		CRC32 sum = new CRC32();
		sum.update(bytes);
		return sum.getValue() << 32 | bytes.length;
	}

}
