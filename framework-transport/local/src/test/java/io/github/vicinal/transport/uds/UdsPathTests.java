package io.github.vicinal.transport.uds;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.testing.OtherContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls that succeed. */
@Timeout(30)
@Tag("every-jdk")
class UdsPathTests {

	private final UdsFixture uds = new UdsFixture();

	private final PeerIdentity server = this.uds.identity();

	@AfterEach
	void close() {
		this.uds.close();
	}

	private CallPath connect(Service... services) {
		this.uds.server(this.server, UdsOptions.defaults(), services);
		return this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.server);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1024, 65_495, 65_496, 65_497, 65_536, 131_072, 1_000_003, 10_000_000 })
	void carriesBodiesOfAnySize(int size) throws Exception {
		CallPath path = connect(Contracts.echo(this.uds.contract));
		byte[] body = Contracts.pattern(size, size);
		for (int i = 0; i < 3; i++) {
			assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) body))).isEqualTo(body);
		}
	}

	@Test
	void carriesValuesNullAndNothing() throws Exception {
		CallPath path = connect(Contracts.echo(this.uds.contract));
		EchoContract.Item item = new EchoContract.Item();
		item.name = "näme";
		item.numbers = new int[] { 1, 2, 3 };
		EchoContract.Item copy = (EchoContract.Item) UdsFixture.value(path, this.uds.call("item", item, "x"));
		assertThat(copy).isNotSameAs(item).usingRecursiveComparison().isEqualTo(item);
		assertThat(UdsFixture.value(path, this.uds.call("join", "a", 7))).isEqualTo("a-7");
		assertThat(((Reply.Value) path.call(this.uds.call("item", null, null))).body()).isNull();
		assertThat(((Reply.Value) path.call(this.uds.call("nothing"))).body()).isNull();
		assertThat(path.bytesCarried()).isGreaterThan(0);
	}

	@Test
	void carriesStatusHeadersAndFailures() throws Exception {
		Map<String, List<String>> headers = Map.of("x-a", List.of("1", "2"), "content-type", List.of("text/plain"));
		CallPath path = connect(Contracts.service(this.uds.contract,
				(frame) -> frame.method().method().getName().equals("nothing")
						? new Reply.Failure(409, headers, new byte[] { 1, 2 }, "some.Failure")
						: new Reply.Value(201, headers, frame.headers().get("traceparent"))));
		CallFrame call = this.uds.call("join", "a", 1);
		Reply.Value value = (Reply.Value) path.call(new CallFrame(call.contract(), call.method(), call.arguments(),
				System.nanoTime() + TimeUnit.SECONDS.toNanos(20), Map.of("traceparent", "00-ab", "empty", "")));
		assertThat(value.status()).isEqualTo(201);
		assertThat(value.headers()).isEqualTo(headers);
		assertThat(value.body()).isEqualTo("00-ab");
		Reply.Failure failure = (Reply.Failure) path.call(this.uds.call("nothing"));
		assertThat(failure.status()).isEqualTo(409);
		assertThat(failure.headers()).isEqualTo(headers);
		assertThat(failure.body()).containsExactly(1, 2);
		assertThat(failure.remoteType()).isEqualTo("some.Failure");
	}

	@Test
	void sharesConnectionsBetweenContracts() throws Exception {
		Contract other = Contracts.of(OtherContract.class);
		UdsPathServer server = this.uds.server(this.server, UdsOptions.defaults(), Contracts.echo(this.uds.contract),
				Contracts.service(other, (frame) -> Contracts.value(frame.arguments()[0] + "" + frame.arguments()[0])));
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		CallPath first = this.uds.connect(provider, this.server);
		CallPath second = this.uds.connect(provider, this.server, other);
		assertThat(UdsFixture.value(first, this.uds.call("join", "a", 1))).isEqualTo("a-1");
		assertThat(UdsFixture.value(second, Contracts.call(other, "twice", "ab"))).isEqualTo("abab");
		assertThat(server.metrics().accepted().sum()).isEqualTo(1);
		first.close();
		assertThat(first.isOpen()).isFalse();
		assertThat(UdsFixture.value(second, Contracts.call(other, "twice", "c"))).isEqualTo("cc");
	}

	@Test
	void timedCallsLearnTheServiceTime() throws Exception {
		long busy = TimeUnit.MILLISECONDS.toNanos(5);
		CallPath path = connect(Contracts.service(this.uds.contract, (frame) -> {
			long end = System.nanoTime() + busy;
			while (System.nanoTime() - end < 0) {
				Thread.onSpinWait();
			}
			return Contracts.value("done");
		}));
		CallFrame untimed = this.uds.call("join", "", 1);
		path.call(untimed);
		assertThat(untimed.serviceNanos()).isZero();
		CallFrame timed = this.uds.call("join", "", 1);
		timed.time();
		long start = System.nanoTime();
		path.call(timed);
		assertThat(timed.serviceNanos()).isBetween(busy, System.nanoTime() - start);
	}

	@Test
	void tellsTheServerHowLongTheCallerWaits() throws Exception {
		CallPath path = connect(Contracts.service(this.uds.contract,
				(frame) -> Contracts.value(Long.toString(frame.remainingNanos()))));
		String forEver = (String) UdsFixture.value(path, this.uds.call("join", "", 1));
		assertThat(forEver).isEqualTo(Long.toString(Long.MAX_VALUE));
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
		String limited = (String) UdsFixture.value(path,
				Contracts.callBefore(this.uds.contract, "join", deadline, "", 1));
		assertThat(Long.parseLong(limited)).isBetween(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(15));
	}

}
