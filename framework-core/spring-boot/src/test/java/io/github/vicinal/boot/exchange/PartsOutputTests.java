package io.github.vicinal.boot.exchange;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.channel.Peer;
import io.github.vicinal.channel.PeerCalls;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

class PartsOutputTests {

	/**
	 * Converters write the end of a text that they have begun. A second attempt might
	 * succeed, or fail without having been executed, and the request go over HTTP.
	 */
	@Test
	void aRequestThatWasNotTakenIsNotBegunAgain() throws Exception {
		PathException first = new PathException(PathException.Reason.PEER_GONE, true, "gone", null);
		PathException second = new PathException(PathException.Reason.PEER_GONE, false, "still gone", null);
		Peer peer = mock(Peer.class);
		PeerCalls calls = mock(PeerCalls.class);
		given(peer.calls()).willReturn(calls);
		given(calls.call(any(), any())).willThrow(first, second);
		ExchangeClient.Route route = new ExchangeClient.Route(peer, mock(CallPath.class),
				HttpExchanges.contract().methods().get(0), Map.of());
		PartsOutput output = new PartsOutput(route, new RequestHead("POST", "/orders", HttpFields.NONE),
				ClientExchange.NO_TIMEOUT);
		assertThatExceptionOfType(PartsOutput.UnsentException.class)
			.isThrownBy(() -> output.write(new byte[ExchangeMessage.PART_BYTES + 1]));
		assertThatExceptionOfType(PartsOutput.UnsentException.class).isThrownBy(() -> output.write(']'));
		assertThatExceptionOfType(PartsOutput.UnsentException.class).isThrownBy(output::end);
		assertThat(output.untaken()).isSameAs(first);
		verify(calls, times(1)).call(any(), any());
	}

	/** The oracle is what was written, whichever way. */
	@Property(tries = 100)
	void whatIsWrittenArrives(@ForAll long seed) throws Exception {
		SplittableRandom random = new SplittableRandom(seed);
		ByteArrayOutputStream arrived = new ByteArrayOutputStream();
		PartsOutput output = new PartsOutput(route(arrived), new RequestHead("POST", "/orders", HttpFields.NONE),
				ClientExchange.NO_TIMEOUT);
		ByteArrayOutputStream written = new ByteArrayOutputStream();
		while (random.nextInt(20) > 0) {
			if (random.nextBoolean()) {
				for (int i = random.nextInt(random.nextInt(8) > 0 ? 300 : ExchangeMessage.PART_BYTES); i > 0; i--) {
					output.write(i);
					written.write(i);
				}
			}
			else {
				byte[] bytes = new byte[random.nextInt(random.nextInt(8) > 0 ? 300 : ExchangeMessage.PART_BYTES + 10)];
				random.nextBytes(bytes);
				output.write(bytes);
				written.write(bytes);
			}
			if (random.nextInt(5) == 0) {
				output.sendWritten();
			}
		}
		output.end();
		assertThat(arrived.toByteArray()).isEqualTo(written.toByteArray());
	}

	@Test
	void aSingleByteThatIsFlushedLeavesWithTheNextOneThatComesLate() throws Exception {
		ByteArrayOutputStream arrived = new ByteArrayOutputStream();
		PartsOutput output = new PartsOutput(route(arrived), new RequestHead("POST", "/orders", HttpFields.NONE),
				ClientExchange.NO_TIMEOUT);
		for (int i = 0; i < 3; i++) {
			output.write(i);
			output.flush();
			assertThat(arrived.size()).isEqualTo(i);
			long written = System.nanoTime();
			while (System.nanoTime() - written < TimeUnit.MILLISECONDS.toNanos(25)) {
				Thread.onSpinWait();
			}
		}
		assertThat(arrived.toByteArray()).containsExactly(0, 1);
	}

	/** A route to a server that takes all parts. */
	private static ExchangeClient.Route route(ByteArrayOutputStream arrived) throws PathException {
		CallPath path = mock(CallPath.class);
		Peer peer = mock(Peer.class);
		PeerCalls calls = mock(PeerCalls.class);
		given(peer.calls()).willReturn(calls);
		given(calls.call(any(), any())).willAnswer((call) -> taken(call.getArgument(1), arrived));
		given(path.call(any())).willAnswer((call) -> taken(call.getArgument(0), arrived));
		return new ExchangeClient.Route(peer, path, HttpExchanges.contract().methods().get(0), Map.of());
	}

	private static Reply taken(CallFrame frame, ByteArrayOutputStream arrived) {
		Object message = frame.arguments()[0];
		ByteBuffer body = (message instanceof ExchangeMessage.Begin begin) ? begin.body()
				: ((ExchangeMessage.Push) message).body();
		assertThat(body.remaining()).isLessThanOrEqualTo(ExchangeMessage.PART_BYTES);
		arrived.write(body.array(), body.arrayOffset() + body.position(), body.remaining());
		return new Reply.Value(200, Map.of(),
				new ExchangeMessage.Answer(1, null, ByteBuffer.allocate(0), ExchangeMessage.End.OPEN));
	}

}
