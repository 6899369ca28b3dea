package io.github.vicinal.transport.multiplex;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class FurtherBindingsTests {

	private static final WireLimits LIMITS = new WireLimits(1 << 20, 10, 1000);

	private static final int NUMBER = 7;

	private static final Codecs CODECS = new Codecs(JsonMapper.builder().build(), true);

	private final Contract contract = Contract.of(Echo.class,
			(type, method) -> new MethodDescription(Arrays.asList(method.getGenericParameterTypes()),
					method.getGenericReturnType(), false, null));

	private final ClientBinding binding = new ClientBinding(NUMBER, this.contract, CODECS);

	private final CodecChoice choice = CODECS.choose(this.contract, CODECS.offers(this.contract));

	private final FurtherBindings bindings = new FurtherBindings(this.binding, this.choice, () -> this.now);

	private final PendingCalls pending = new PendingCalls("the peer");

	private final List<PendingCall> asked = new ArrayList<>();

	private boolean open = true;

	private boolean full;

	private long now = Long.MAX_VALUE;

	interface Echo {

		String echo(String text);

	}

	private ClientEnd connection() {
		return (ClientEnd) Proxy.newProxyInstance(ClientEnd.class.getClassLoader(), new Class<?>[] { ClientEnd.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "isOpen" -> this.open;
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == arguments[0];
					case "expire" -> null;
					case "send" -> {
						assertThat(arguments[1]).as("whether it executes something").isEqualTo(false);
						if (!this.open) {
							throw ConnectionException.of(Reason.PEER_GONE, false, "it has ended", null);
						}
						if (this.full) {
							throw ConnectionException.of(Reason.EXHAUSTED, false, "much waits to be sent", null);
						}
						PendingCall call = this.pending.add(() -> false);
						this.asked.add(call);
						yield call;
					}
					default -> throw new AssertionError(method);
				});
	}

	private static ReceivedFrame frame(FrameType type, int binding, EncodeBuffer out) throws WireException {
		FrameDescriptor.binding(out, 0, binding);
		FrameDescriptor.end(out, 0, type);
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(out.array(), out.size(), header, LIMITS);
		return new ReceivedFrame(header, out.array());
	}

	private static EncodeBuffer begun() {
		EncodeBuffer out = new EncodeBuffer(256);
		FrameDescriptor.begin(out);
		return out;
	}

	private static ReceivedFrame bound(int number, String codec, Set<String> codecs) throws WireException {
		EncodeBuffer out = begun();
		new Payload.Bound(codec, "", codecs).write(out);
		return frame(FrameType.BOUND, number, out);
	}

	private void answer(ReceivedFrame answer) {
		assertThat(this.asked).hasSize(1);
		this.asked.get(0).answer().complete(answer);
	}

	@Test
	void callsTakeAConnectionOnceTheContractIsBoundThere() throws WireException {
		ClientEnd connection = connection();
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.bindings.isBound(connection)).isFalse();
		answer(bound(NUMBER, this.choice.codec().name(), CODECS.offers(this.contract)));
		assertThat(this.bindings.isBound(connection)).isTrue();
		assertThat(this.asked).as("it is asked for once").hasSize(1);
		assertThat(this.bindings.isBound(connection())).isFalse();
		assertThat(this.asked).as("each connection is asked").hasSize(2);
	}

	@Test
	void aConnectionThatAnswersForAnotherContractIsNotTaken() throws WireException {
		ClientEnd connection = connection();
		this.bindings.isBound(connection);
		answer(bound(NUMBER + 1, this.choice.codec().name(), CODECS.offers(this.contract)));
		assertThat(this.bindings.isBound(connection)).isFalse();
	}

	@Test
	void aConnectionWithAnotherCodecIsNotTaken() throws WireException {
		assertThat(this.choice.codec().name()).as("the codec of this side").isNotEqualTo("jackson");
		ClientEnd connection = connection();
		this.bindings.isBound(connection);
		answer(bound(NUMBER, "jackson", Set.of("jackson")));
		assertThat(this.bindings.isBound(connection)).isFalse();
	}

	private void fails(ConnectionException failure) {
		this.asked.get(0).answer().completeExceptionally(failure);
	}

	@Test
	void aConnectionThatRefusesTheContractIsNotTaken() throws WireException {
		ClientEnd connection = connection();
		this.bindings.isBound(connection);
		fails(ConnectionException.refused(Refusal.SERVICE_REFUSES, false, "no"));
		this.now += FurtherBindings.PAUSE_NANOS;
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.asked).hasSize(1);
	}

	@Test
	void aServerThatHasNoThreadForTheContractIsAskedAgainLater() throws WireException {
		isAskedAgain(ConnectionException.refused(Refusal.CONNECTIONS, false, "all threads are in use"));
	}

	@Test
	void aServerThatDoesNotAnswerInTimeIsAskedAgainLater() throws WireException {
		isAskedAgain(ConnectionException.of(Reason.TIMEOUT, false, "the deadline passed", null));
	}

	private void isAskedAgain(ConnectionException failure) throws WireException {
		ClientEnd connection = connection();
		this.bindings.isBound(connection);
		fails(failure);
		this.now += FurtherBindings.PAUSE_NANOS - 1;
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.asked).hasSize(1);
		this.now++;
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.asked).hasSize(2);
		this.asked.get(1).answer().complete(bound(NUMBER, this.choice.codec().name(), CODECS.offers(this.contract)));
		assertThat(this.bindings.isBound(connection)).isTrue();
	}

	@Test
	void aConnectionThatHasNoRoomForTheContractIsAskedAgainLater() throws WireException {
		ClientEnd connection = connection();
		this.full = true;
		this.bindings.isBound(connection);
		this.full = false;
		assertThat(this.bindings.isBound(connection)).isFalse();
		assertThat(this.asked).isEmpty();
		this.now += FurtherBindings.PAUSE_NANOS;
		assertThat(this.bindings.isBound(connection)).isFalse();
		answer(bound(NUMBER, this.choice.codec().name(), CODECS.offers(this.contract)));
		assertThat(this.bindings.isBound(connection)).isTrue();
	}

	@Test
	void aConnectionThatAnswersWithGarbageIsNotTaken() throws WireException {
		ClientEnd connection = connection();
		this.bindings.isBound(connection);
		EncodeBuffer out = begun();
		out.write(0xff);
		answer(frame(FrameType.BOUND, NUMBER, out));
		assertThat(this.bindings.isBound(connection)).isFalse();
	}

	@Test
	void aConnectionThatHasEndedIsNotTaken() {
		this.open = false;
		assertThat(this.bindings.isBound(connection())).isFalse();
		assertThat(this.asked).isEmpty();
	}

}
