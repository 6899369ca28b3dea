package io.github.vicinal.transport.uds;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.Service;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.testing.OtherContract;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Everything that can go wrong, and what the caller learns of it. */
@Timeout(30)
class UdsFailureTests {

	private final UdsFixture uds = new UdsFixture();

	private final PeerIdentity identity = this.uds.identity();

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.release.countDown();
		this.uds.close();
	}

	/** Its calls enter and wait for the release, except those of {@code bytes}. */
	private Service blocking() {
		return Contracts.service(this.uds.contract, (frame) -> {
			if (!frame.method().method().getName().equals("bytes")) {
				this.entered.countDown();
				awaitUninterruptibly(this.release);
			}
			return Contracts.value((frame.arguments().length == 0) ? null : frame.arguments()[0]);
		});
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static PathException failure(CallPath path, CallFrame frame) {
		return catchThrowableOfType(PathException.class, () -> path.call(frame));
	}

	private CompletableFuture<Object> async(CallPath path, CallFrame frame) {
		return Async.call(() -> {
			try {
				return path.call(frame);
			}
			catch (PathException ex) {
				return ex;
			}
		});
	}

	private CallFrame soon(String method, long millis, Object... arguments) {
		return Contracts.callBefore(this.uds.contract, method,
				System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), arguments);
	}

	/** Else an idle client's next call would have to be taken for executed. */
	@RepeatedTest(50)
	void serverThatDoesNotWaitForCallsSaysGoodbyeToIdleClients() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.builder().drainTimeout(Duration.ZERO).build(),
				blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
		server.close();
		PathException ex = failure(path, this.uds.call("bytes", (Object) new byte[] { 2 }));
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(path.isOpen()).isFalse();
	}

	@Test
	void deadlineEndsTheCallAndLeavesThePathOpen() throws Exception {
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		long before = System.nanoTime();
		PathException ex = failure(path, soon("join", 100, "a", 1));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isTrue();
		assertThat(System.nanoTime() - before).isBetween(TimeUnit.MILLISECONDS.toNanos(100),
				TimeUnit.SECONDS.toNanos(10));
		assertThat(path.isOpen()).isTrue();
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 })))
			.isEqualTo(new byte[] { 1 });
	}

	@Test
	void deadlineInThePastIsNotExecuted() {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		PathException ex = failure(path, soon("nothing", -1));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(server.metrics().calls().sum()).isZero();
	}

	@Test
	void interruptEndsTheCallAndStaysSet() throws Exception {
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		AtomicReference<PathException> thrown = new AtomicReference<>();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			thrown.set(failure(path, this.uds.call("join", "a", 1)));
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		caller.start();
		this.entered.await();
		caller.interrupt();
		assertThat(interrupted.get()).isTrue();
		assertThat(thrown.get().reason()).isEqualTo(Reason.INTERRUPTED);
		assertThat(thrown.get().maybeExecuted()).isTrue();
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
	}

	@Test
	void interruptedCallerDoesNotStartACall() {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		Thread.currentThread().interrupt();
		PathException ex = failure(path, this.uds.call("bytes", (Object) new byte[0]));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(ex.reason()).isEqualTo(Reason.INTERRUPTED);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(server.metrics().calls().sum()).isZero();
	}

	@Test
	void stoppingServerLetsCallsInFlightEnd() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		path.call(this.uds.call("bytes", (Object) new byte[0]));
		CompletableFuture<Object> inFlight = async(path, this.uds.call("join", "a", 1));
		this.entered.await();
		CompletableFuture<Boolean> closed = Async.call(() -> {
			server.close();
			return true;
		});
		Async.await(() -> server.unavailable().isPresent());
		this.release.countDown();
		assertThat(inFlight.get()).isEqualTo(Contracts.value("a"));
		closed.get();
		assertThat(SocketFile.of(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS)).doesNotExist();
		PathException ex = failure(path, this.uds.call("bytes", (Object) new byte[0]));
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(path.isOpen()).isFalse();
		assertThat(server.metrics().open().sum()).isZero();
	}

	@Test
	void stoppingServerCutsOffWhatDoesNotEnd() throws Exception {
		UdsPathServer server = this.uds.server(this.identity,
				UdsOptions.builder().drainTimeout(Duration.ofMillis(50)).build(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		CompletableFuture<Object> inFlight = async(path, this.uds.call("join", "a", 1));
		this.entered.await();
		server.close();
		PathException ex = (PathException) inFlight.get();
		assertThat(ex.reason()).isEqualTo(Reason.PEER_GONE);
		assertThat(ex.maybeExecuted()).isTrue();
	}

	@Test
	void stoppingServerWithoutAThreadForGoodbyesCutsOffItsConnections() throws Exception {
		UdsPathServer server = this.uds.server(this.identity,
				UdsOptions.builder().drainTimeout(Duration.ofMillis(50)).build(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		CompletableFuture<Object> inFlight = async(path, this.uds.call("join", "a", 1));
		this.entered.await();
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
		this.uds.noThreads = true;
		server.stopAccepting();
		server.close();
		assertThat(((PathException) inFlight.get()).reason()).isEqualTo(Reason.PEER_GONE);
		assertThat(failure(path, this.uds.call("bytes", (Object) new byte[0]))).isNotNull();
		assertThat(path.isOpen()).isFalse();
		this.release.countDown();
		Async.await(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void serverThatGetsNoThreadIsUnavailableAndLeavesNoSocket() {
		this.uds.noThreads = true;
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		assertThat(server.unavailable().orElseThrow()).contains("unable to create native thread");
		assertThat(SocketFile.of(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS)).doesNotExist();
	}

	@Test
	void idleConnectionsOfAStoppedServerSayThatNothingWasExecuted() {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		server.close();
		PathException ex = failure(path, this.uds.call("bytes", (Object) new byte[0]));
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(ex.reason()).isIn(Reason.PEER_GONE, Reason.REFUSED);
		assertThat(path.isOpen()).isFalse();
	}

	@Test
	void restartedServerIsFoundUnderItsNewId() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		CallPath path = this.uds.connect(provider, this.identity);
		server.close();
		PeerIdentity restarted = this.uds.identity();
		this.uds.server(restarted, UdsOptions.defaults(), blocking());
		assertThat(failure(path, this.uds.call("bytes", (Object) new byte[0])).maybeExecuted()).isFalse();
		path.close();
		CallPath next = this.uds.connect(provider, restarted);
		assertThat(UdsFixture.value(next, this.uds.call("bytes", (Object) new byte[] { 2 })))
			.isEqualTo(new byte[] { 2 });
		assertThat(this.uds.refused(provider, this.identity, this.uds.contract).retryable()).isTrue();
	}

	@Test
	void staleConnectionIsReplacedWithoutTheCallerNoticing() throws Exception {
		// The same id again, which no real server has: the second accepts what the
		// first has closed.
		UdsPathServer first = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		CallPath path = this.uds.connect(provider, this.identity);
		first.close();
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 3 })))
			.isEqualTo(new byte[] { 3 });
	}

	@Test
	void deadSocketIsDeletedAndALivingOneIsNot() throws Exception {
		java.nio.file.Path dead = SocketFile.of(this.uds.directory, this.uds.identity().instanceId(), SocketFile.CALLS);
		ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(dead)).close();
		java.nio.file.Path foreign = Files.createFile(this.uds.directory.resolve("notes.sock"));
		PeerIdentity living = this.uds.identity();
		UdsPathServer first = this.uds.server(living, UdsOptions.defaults(), blocking());
		Async.await(() -> !Files.exists(dead));
		Files.createFile(dead);
		this.uds.server(this.identity, UdsOptions.defaults(), blocking()).close();
		assertThat(dead).doesNotExist();
		// To connect to living servers would cost the square of their number.
		assertThat(first.metrics().accepted().sum()).isZero();
		assertThat(SocketFile.of(this.uds.directory, living.instanceId(), SocketFile.CALLS)).exists();
		assertThat(foreign).exists();
	}

	@Test
	void socketFileOfADeadProcessIsRefusedAtOnce() throws Exception {
		ServerSocketChannel.open(StandardProtocolFamily.UNIX)
			.bind(UnixDomainSocketAddress
				.of(SocketFile.of(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS)))
			.close();
		PathProvider.Unavailable unavailable = this.uds.refused(this.uds.provider(UdsOptions.defaults()), this.identity,
				this.uds.contract);
		assertThat(unavailable.reason()).contains("no process listens");
	}

	@Test
	void anotherInstanceBehindTheSocketIsRefused() throws Exception {
		PeerIdentity other = this.uds.identity();
		UdsPathServer server = this.uds.server(other, UdsOptions.defaults(), blocking());
		Files.move(SocketFile.of(this.uds.directory, other.instanceId(), SocketFile.CALLS),
				SocketFile.of(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS));
		PathProvider.Unavailable unavailable = this.uds.refused(this.uds.provider(UdsOptions.defaults()), this.identity,
				this.uds.contract);
		assertThat(unavailable.reason()).contains("wrong-instance", other.instanceId());
		assertThat(unavailable.retryable()).isFalse();
		assertRefused(server, "wrong-instance");
	}

	private static void assertRefused(UdsPathServer server, String reason) {
		assertThat(server.metrics().refusals().get(reason).sum()).isPositive();
	}

	@Test
	void serverRefusesAStranger() {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), (channel) -> {
			throw new WireException(Refusal.STRANGER, "the other process runs as user 4711");
		}, blocking());
		PathProvider.Unavailable unavailable = this.uds.refused(this.uds.provider(UdsOptions.defaults()), this.identity,
				this.uds.contract);
		assertThat(unavailable.reason()).contains("4711");
		assertThat(unavailable.retryable()).isFalse();
		assertRefused(server, "stranger");
	}

	@Test
	void clientRefusesAStranger() {
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		PathProvider.Unavailable unavailable = this.uds.refused(this.uds.provider(UdsOptions.defaults(), (channel) -> {
			throw new WireException(Refusal.STRANGER, "the other process runs as user 4711");
		}), this.identity, this.uds.contract);
		assertThat(unavailable.reason()).contains("4711");
	}

	@Test
	void unknownContractDifferentContractAndRefusalSayWhy() {
		Contract other = Contracts.of(OtherContract.class);
		Contract changed = Contract.of(EchoContract.class,
				(type, method) -> method.getName().equals("nothing") ? null : new MethodDescription(
						List.of(method.getGenericParameterTypes()), method.getGenericReturnType(), false, null));
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		PathProvider.Unavailable unknown = this.uds.refused(provider, this.identity, other);
		assertThat(unknown.reason()).contains("unknown-contract", OtherContract.class.getName());
		PathProvider.Unavailable differs = this.uds.refused(provider, this.identity, changed);
		assertThat(differs.reason()).contains("contract-differs", changed.hash(), this.uds.contract.hash());
		assertRefused(server, "unknown-contract");
		assertRefused(server, "contract-differs");
		PeerIdentity reluctant = this.uds.identity();
		this.uds.server(reluctant, UdsOptions.defaults(), Contracts.service(this.uds.contract,
				Optional.of("a servlet filter covers /echo"), (frame) -> Contracts.value(null)));
		assertThat(this.uds.refused(provider, reluctant, this.uds.contract).reason())
			.contains("a servlet filter covers /echo");
	}

	@Test
	void noUdsWithoutRendezvousOrOnAnotherHost() {
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		PathProvider.Unavailable elsewhere = this.uds.refused(provider, PeerIdentity.create("0".repeat(32)),
				this.uds.contract);
		assertThat(elsewhere.reason()).contains("another host");
		UdsPathProvider none = new UdsPathProvider(this.uds.clientIdentity, Rendezvous.none("switched off"),
				Contracts.codecs(), UdsOptions.defaults());
		assertThat(this.uds.refused(none, this.identity, this.uds.contract).reason()).isEqualTo("switched off");
		PathProvider.Unavailable absent = this.uds.refused(provider, this.identity, this.uds.contract);
		assertThat(absent.reason()).contains("its socket is gone");
	}

	@Test
	void exhaustedPoolRefusesByDeadlineAndByTimeout() throws Exception {
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(
				this.uds.provider(
						UdsOptions.builder().maxConnectionsPerPeer(1).acquireTimeout(Duration.ofMillis(100)).build()),
				this.identity);
		CompletableFuture<Object> inFlight = async(path, this.uds.call("join", "a", 1));
		this.entered.await();
		PathException byDeadline = failure(path, soon("bytes", 20, (Object) new byte[0]));
		assertThat(byDeadline.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(byDeadline.maybeExecuted()).isFalse();
		assertThat(byDeadline).hasMessageContaining("before the deadline");
		PathException byTimeout = failure(path, this.uds.call("bytes", (Object) new byte[0]));
		assertThat(byTimeout).hasMessageContaining("before the acquire timeout");
		CompletableFuture<Object> waiting = async(path, soon("bytes", 20_000, (Object) new byte[0]));
		this.release.countDown();
		assertThat(inFlight.get()).isEqualTo(Contracts.value("a"));
		// It may have given up before the release, on a slow machine.
		assertThat(waiting.get()).satisfiesAnyOf((reply) -> assertThat(reply).isNotInstanceOf(PathException.class),
				(reply) -> assertThat(((PathException) reply).reason()).isEqualTo(Reason.EXHAUSTED));
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
	}

	@Test
	void serverRefusesMoreConnectionsThanItMayHave() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.builder().maxConnections(1).build(),
				blocking());
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		CallPath path = this.uds.connect(provider, this.identity);
		CompletableFuture<Object> inFlight = async(path, this.uds.call("join", "a", 1));
		this.entered.await();
		PathException ex = failure(path, this.uds.call("bytes", (Object) new byte[0]));
		assertThat(ex.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(ex.maybeExecuted()).isFalse();
		assertRefused(server, "connections");
		this.release.countDown();
		assertThat(inFlight.get()).isEqualTo(Contracts.value("a"));
	}

	@Test
	void tooLargeCallsAndAnswersAreRefusedAndThePathLivesOn() throws Exception {
		this.uds.server(this.identity, UdsOptions.builder().maxFrameBytes(20_000).build(),
				Contracts.service(this.uds.contract,
						(frame) -> frame.method().method().getName().equals("join")
								? Contracts.value("x".repeat((Integer) frame.arguments()[1]))
								: Contracts.value(frame.arguments()[0])));
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		PathException call = failure(path, this.uds.call("bytes", (Object) new byte[30_000]));
		assertThat(call.maybeExecuted()).isFalse();
		assertThat(call).hasMessageContaining("larger than the limit of 20000 bytes");
		PathException answer = failure(path, this.uds.call("join", "", 30_000));
		assertThat(answer.maybeExecuted()).isTrue();
		assertThat(answer).hasMessageContaining("too-large");
		assertThat(UdsFixture.value(path, this.uds.call("join", "", 3))).isEqualTo("xxx");
	}

	@Test
	void unencodableValuesFailOnlyTheirOwnCall() throws Exception {
		this.uds.server(this.identity, UdsOptions.defaults(), Contracts.service(this.uds.contract,
				(frame) -> Contracts.value((frame.arguments().length == 0) ? null : List.of(new Unencodable()))));
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		PathException argument = failure(path, this.uds.call("items", List.of(new Unencodable())));
		assertThat(argument.reason()).isEqualTo(Reason.CODEC);
		assertThat(argument.maybeExecuted()).isFalse();
		// The service's substitute for a result that cannot be encoded is its answer.
		assertThat(path.call(this.uds.call("items", List.of()))).isInstanceOfSatisfying(Reply.Failure.class,
				(answer) -> assertThat(answer.status()).isEqualTo(500));
		assertThat(path.call(this.uds.call("nothing"))).isEqualTo(Contracts.value(null));
	}

	@Test
	void classesThatFailToBeEncodedFailOnlyTheirOwnCall() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		PathException ex = failure(path, this.uds.call("items", failing(new NoClassDefFoundError("X"))));
		assertThat(ex.reason()).isEqualTo(Reason.CODEC);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	/** Its deadline would end the next call, which may have none. */
	@Test
	void connectionOfACallThatEndedInAnErrorIsNotUsedAgain() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.builder().maxConnectionsPerPeer(1).build()),
				this.identity);
		CallFrame frame = soon("items", 20_000, failing(new OutOfMemoryError("as the test wants it")));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> path.call(frame));
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
		assertThat(server.metrics().accepted().sum()).isEqualTo(2);
	}

	@Test
	void serviceThatThrowsIsReportedAsExecuted() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(),
				Contracts.service(this.uds.contract, (frame) -> {
					throw new IllegalStateException("a bug");
				}));
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		PathException ex = failure(path, this.uds.call("nothing"));
		assertThat(ex.reason()).isEqualTo(Reason.REFUSED);
		assertThat(ex.maybeExecuted()).isTrue();
		assertRefused(server, "failed");
	}

	@Test
	void handlerThatLeavesAnInterruptDoesNotHarmTheNextCall() throws Exception {
		this.uds.server(this.identity, UdsOptions.defaults(), Contracts.service(this.uds.contract, (frame) -> {
			Thread.currentThread().interrupt();
			return Contracts.value("fine");
		}));
		CallPath path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
		assertThat(UdsFixture.value(path, this.uds.call("join", "a", 2))).isEqualTo("fine");
		assertThat(UdsFixture.value(path, this.uds.call("join", "a", 2))).isEqualTo("fine");
	}

	@Test
	void idleConnectionsAreClosed() throws Exception {
		UdsPathServer server = this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		CallPath path = this.uds
			.connect(this.uds.provider(UdsOptions.builder().idleTimeout(Duration.ofMillis(50)).build()), this.identity);
		Async.await(() -> server.metrics().open().sum() == 0);
		assertThat(UdsFixture.value(path, this.uds.call("bytes", (Object) new byte[] { 1 }))).isNotNull();
		assertThat(server.metrics().accepted().sum()).isEqualTo(2);
	}

	@Test
	void closedPathAndProviderRefuseCalls() {
		this.uds.server(this.identity, UdsOptions.defaults(), blocking());
		UdsPathProvider provider = this.uds.provider(UdsOptions.defaults());
		CallPath path = this.uds.connect(provider, this.identity);
		path.close();
		path.close();
		assertThat(path.isOpen()).isFalse();
		assertThat(failure(path, this.uds.call("nothing")).maybeExecuted()).isFalse();
		provider.close();
		assertThat(this.uds.refused(provider, this.identity, this.uds.contract).retryable()).isFalse();
	}

	@Test
	void serverWithoutDirectorySaysWhy() {
		UdsPathServer server = new UdsPathServer(this.identity, Rendezvous.none("switched off"),
				new io.github.vicinal.server.ServiceRegistry(), UdsOptions.defaults());
		assertThat(server.unavailable()).isPresent();
		server.start();
		assertThat(server.unavailable()).contains("switched off");
		server.close();
	}

	/** Reading its elements fails with an error. */
	private static List<Object> failing(Error error) {
		return new AbstractList<>() {

			@Override
			public Object get(int index) {
				throw error;
			}

			@Override
			public int size() {
				return 1;
			}

		};
	}

	/** No codec can read its property. */
	static final class Unencodable {

		public String getName() {
			throw new IllegalStateException("no name");
		}

	}

}
