package io.github.vicinal.boot.exchange;

import java.util.Map;

import io.github.vicinal.channel.Peer;
import io.github.vicinal.channel.PeerCalls;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
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

}
