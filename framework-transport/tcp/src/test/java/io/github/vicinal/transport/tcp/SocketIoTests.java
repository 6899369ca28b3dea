package io.github.vicinal.transport.tcp;

import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls by each way to read and write sockets. Other tests use that of the JDK. */
@Timeout(60)
class SocketIoTests extends TcpTestSupport {

	private static TcpOptions options(SocketIo io) {
		try {
			return small().io(io).build();
		}
		catch (InvalidOptionException ex) {
			throw new TestAbortedException(ex.getMessage());
		}
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "AUTO")
	void carriesCallsOfAnySize(SocketIo io) throws Exception {
		CallPath path = connect(provider(options(io), null), server(options(io)));
		for (int size : new int[] { 0, 1024, 65_536, 3_000_000 }) {
			byte[] body = new byte[size];
			new Random(size).nextBytes(body);
			assertThat(value(path.call(bytes(body)))).isEqualTo(body);
			assertThat(value(later(path, bytes(body)).get(20, TimeUnit.SECONDS))).isEqualTo(body);
		}
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "AUTO")
	void endsOfEitherSideAreNoticed(SocketIo io) throws Exception {
		TcpPathServer server = server(small().io(options(io).io()).drainTimeout(Duration.ZERO).build());
		CallPath path = connect(provider(options(io), null), server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		server.close();
		assertThat(failure(slow).reason()).isEqualTo(PathException.Reason.PEER_GONE);
		assertThat(path.isOpen()).isFalse();
	}

	@Test
	void autoIsOneThatCanBeUsed() {
		assertThat(SocketIo.AUTO.resolve()).isNotEqualTo(SocketIo.AUTO)
			.satisfies((io) -> assertThat(io.resolve()).isSameAs(io));
		assertThat(SocketIo.NIO.resolve()).isSameAs(SocketIo.NIO);
	}

	@ParameterizedTest
	@EnumSource(names = { "EPOLL", "IO_URING" })
	void oneThatCannotBeUsedIsRefusedWithTheRemedy(SocketIo io) {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> io.require(new UnsatisfiedLinkError("no library")))
			.withMessageContaining("netty-transport-native-" + io.name().toLowerCase(Locale.ROOT))
			.withMessageContaining("no library")
			.withMessageEndingWith("not " + io.name().toLowerCase(Locale.ROOT).replace('_', '-'));
	}

}
