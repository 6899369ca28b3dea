package io.github.vicinal.transport.tcp;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls and replies are compressed if both sides say so. */
@Timeout(60)
class TcpCompressionTests extends TcpTestSupport {

	private static final int FROM_BYTES = 2048;

	private static final int BODY_BYTES = 200_000;

	private static TcpOptions options(boolean compresses) {
		return compresses ? small().compressedFromBytes(FROM_BYTES).build() : options();
	}

	private static byte[] text() {
		byte[] text = new byte[BODY_BYTES];
		Arrays.fill(text, (byte) 'x');
		return text;
	}

	@ParameterizedTest
	@CsvSource({ "true,true", "true,false", "false,true", "false,false" })
	void callsAndRepliesAreShorterIfBothSidesCompress(boolean client, boolean server) throws Exception {
		CallPath path = connect(provider(options(client), null), server(options(server)));
		assertThat(path.details()).containsEntry("compressed", client && server);
		assertThat(value(path.call(bytes(text())))).isEqualTo(text());
		Reply later = path.callLater(bytes(text()), ForkJoinPool.commonPool())
			.toCompletableFuture()
			.get(20, TimeUnit.SECONDS);
		assertThat(value(later)).isEqualTo(text());
		if (client && server) {
			assertThat(path.bytesCarried()).isLessThan(BODY_BYTES);
		}
		else {
			assertThat(path.bytesCarried()).isGreaterThan(4L * BODY_BYTES);
		}
	}

	@Test
	void shortAndIncompressibleBodiesTravelAsTheyAre() throws Exception {
		CallPath path = connect(provider(options(true), null), server(options(true)));
		byte[] noise = new byte[BODY_BYTES];
		new Random(1).nextBytes(noise);
		assertThat(value(path.call(bytes(noise)))).isEqualTo(noise);
		assertThat(path.bytesCarried()).isGreaterThan(2L * BODY_BYTES);
		long before = path.bytesCarried();
		assertThat(value(path.call(bytes(Arrays.copyOf(text(), 1000))))).isEqualTo(Arrays.copyOf(text(), 1000));
		assertThat(path.bytesCarried() - before).isGreaterThan(2000);
	}

	/** Expansion takes processor time, for which other calls of the loop would wait. */
	@Test
	void answersAreNotExpandedByTheEventLoop() throws Exception {
		CallPath path = connect(provider(options(true), null), server(options(true)));
		BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
		CompletableFuture<Reply> reply = path.callLater(bytes(text()), tasks::add).toCompletableFuture();
		Runnable expansion = tasks.poll(20, TimeUnit.SECONDS);
		assertThat(expansion).isNotNull();
		assertThat(reply).isNotDone();
		byte[] brief = { 1, 2, 3 };
		assertThat(value(later(path, bytes(brief)).get(20, TimeUnit.SECONDS))).isEqualTo(brief);
		assertThat(reply).isNotDone();
		expansion.run();
		assertThat(value(reply.getNow(null))).isEqualTo(text());
	}

	@Test
	void lengthBelowTheLeastIsRefused() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> small().compressedFromBytes(100).build())
			.withMessageContaining("at least 1KB");
	}

}
