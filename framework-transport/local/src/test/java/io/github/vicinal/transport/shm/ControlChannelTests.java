package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Memory is announced, and used once the other side has mapped it. */
@Timeout(60)
class ControlChannelTests {

	private Path directory;

	private ControlChannel one;

	private ControlChannel other;

	@BeforeEach
	void connect() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-control");
		UnixDomainSocketAddress address = UnixDomainSocketAddress.of(this.directory.resolve("socket"));
		try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			listener.bind(address);
			this.one = new ControlChannel(SocketChannel.open(address));
			this.other = new ControlChannel(listener.accept());
		}
	}

	@AfterEach
	void close() throws Exception {
		this.one.close();
		this.other.close();
		Files.delete(this.directory.resolve("socket"));
		Files.delete(this.directory);
	}

	private CompletableFuture<Integer> announce(int number) {
		return Async.call(() -> {
			this.one.announce(number, "a file", 4096);
			return number;
		});
	}

	private static boolean somebodyWaits() {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.anyMatch((thread) -> thread.getKey().getState() == Thread.State.WAITING && Arrays.stream(thread.getValue())
				.anyMatch((frame) -> frame.getMethodName().equals("awaitMapped")));
	}

	private Payload.Mapped answered() throws Exception {
		assertThat(this.one.read().type).isEqualTo(FrameType.MAPPED);
		return Payload.Mapped.read(this.one.payload());
	}

	@Test
	void announcementEndsWhenTheOtherSideHasMappedIt() throws Exception {
		for (int number = 0; number < 3; number++) {
			CompletableFuture<Integer> announced = announce(number);
			assertThat(this.other.read().type).isEqualTo(FrameType.ARENA);
			assertThat(Payload.Arena.read(this.other.payload())).isEqualTo(new Payload.Arena(number, 4096, "a file"));
			Async.await(ControlChannelTests::somebodyWaits);
			this.other.sayMapped(number);
			this.one.mapped(answered());
			assertThat(announced.get(20, TimeUnit.SECONDS)).isEqualTo(number);
		}
	}

	@Test
	void announcementEndsWithThePair() throws Exception {
		CompletableFuture<Integer> announced = announce(0);
		Async.await(ControlChannelTests::somebodyWaits);
		this.one.close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> announced.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(IOException.class);
	}

	@Test
	void anArenaThatWasNotAnnouncedCannotBeMapped() throws Exception {
		for (int number : new int[] { 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE }) {
			assertThat(refusal(number)).isEqualTo(Refusal.MALFORMED);
		}
		CompletableFuture<Integer> announced = announce(0);
		Async.await(ControlChannelTests::somebodyWaits);
		assertThat(refusal(1)).isEqualTo(Refusal.MALFORMED);
		this.one.mapped(new Payload.Mapped(0));
		assertThat(announced.get(20, TimeUnit.SECONDS)).isZero();
		assertThat(refusal(0)).as("twice").isEqualTo(Refusal.MALFORMED);
	}

	private Refusal refusal(int number) {
		return catchThrowableOfType(WireException.class, () -> this.one.mapped(new Payload.Mapped(number))).refusal();
	}

}
