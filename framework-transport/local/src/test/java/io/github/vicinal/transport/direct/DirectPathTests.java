package io.github.vicinal.transport.direct;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.testing.OtherContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Calls inside one JVM. */
@Timeout(30)
@Tag("every-jdk")
class DirectPathTests {

	private final Contract contract = Contracts.of(EchoContract.class);

	private final PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);

	private final ServiceRegistry services = new ServiceRegistry();

	private final DirectPathServer server = new DirectPathServer(this.identity, this.services, null,
			Duration.ofSeconds(5));

	private final DirectPathProvider provider = new DirectPathProvider(Contracts.codecs());

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.release.countDown();
		this.server.close();
		this.provider.close();
	}

	private CallPath connect(Function<CallFrame, Reply> handler) {
		return connect(Contracts.service(this.contract, handler));
	}

	private CallPath connect(Service service) {
		this.services.register(service);
		this.server.start();
		assertThat(this.server.unavailable()).isEmpty();
		return connect(service.contract());
	}

	private CallPath connect(Contract called) {
		return ((PathProvider.Connected) this.provider.connect(called, Contracts.announce(this.identity, called)))
			.path();
	}

	private CallFrame call(String method, Object... arguments) {
		return Contracts.call(this.contract, method, arguments);
	}

	private CallFrame within(long millis, String method, Object... arguments) {
		return Contracts.callBefore(this.contract, method, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis),
				arguments);
	}

	private static Object body(Reply reply) {
		return ((Reply.Value) reply).body();
	}

	private Reply hang(CallFrame frame) {
		this.entered.countDown();
		try {
			this.release.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return Contracts.value(null);
	}

	@Test
	void immutableValuesGoByReferenceOnTheCallersThread() throws Exception {
		AtomicReference<Object> seen = new AtomicReference<>();
		AtomicReference<Thread> thread = new AtomicReference<>();
		CallPath path = connect((frame) -> {
			seen.set(frame.arguments()[0]);
			thread.set(Thread.currentThread());
			return Contracts.value(frame.arguments()[0]);
		});
		String text = new String("text");
		Object body = null;
		// On a busy machine a call may be held up, and the trial begins anew.
		for (int i = 0; i <= 1000 * DeadlineRule.FIRST_TRIAL && thread.get() != Thread.currentThread(); i++) {
			body = body(path.call(call("join", text, 1)));
		}
		assertThat(thread.get()).isSameAs(Thread.currentThread());
		assertThat(body).isSameAs(text);
		assertThat(seen.get()).isSameAs(text);
		assertThat(path.bytesCarried()).isZero();
		assertThat(path.codec().reason()).contains("by reference");
	}

	/**
	 * As with JSON: what an accessor hides stays hidden, and constructors check again.
	 */
	@Test
	void accessorsAndConstructorsOfRecordsRun() throws Exception {
		Contract secrets = Contracts.of(Secrets.class);
		AtomicReference<Secrets.Login> seen = new AtomicReference<>();
		CallPath path = connect(Contracts.service(secrets, (frame) -> {
			seen.set((Secrets.Login) frame.arguments()[0]);
			return Contracts.value(new Secrets.Login("server", "also secret"));
		}));
		Secrets.Login result = (Secrets.Login) body(
				path.call(Contracts.call(secrets, "login", new Secrets.Login(" eve ", "secret"))));
		assertThat(seen.get().raw()).isEqualTo("***");
		assertThat(seen.get().user()).isEqualTo("eve");
		assertThat(result.raw()).isEqualTo("***");
		assertThat(path.bytesCarried()).isPositive();
	}

	interface Secrets {

		Login login(Login login);

		record Login(String user, String password) {

			public Login {
				user = user.strip();
			}

			@Override
			public String password() {
				return "***";
			}

			String raw() {
				return this.password;
			}

		}

	}

	@Test
	void mutableValuesAreCopiedBothWays() throws Exception {
		AtomicReference<EchoContract.Item> seen = new AtomicReference<>();
		AtomicReference<Object> name = new AtomicReference<>();
		CallPath path = connect((frame) -> {
			EchoContract.Item item = (EchoContract.Item) frame.arguments()[0];
			seen.set(item);
			name.set(frame.arguments()[1]);
			item.numbers[0] = 99;
			return Contracts.value(item);
		});
		EchoContract.Item item = new EchoContract.Item();
		item.name = "a";
		item.numbers = new int[] { 1 };
		String text = new String("by reference");
		EchoContract.Item result = (EchoContract.Item) body(path.call(call("item", item, text)));
		assertThat(item.numbers).containsExactly(1);
		assertThat(name.get()).isSameAs(text);
		assertThat(result.numbers).containsExactly(99);
		assertThat(result).isNotSameAs(seen.get());
		seen.get().numbers[0] = 7;
		assertThat(result.numbers).containsExactly(99);
		assertThat(path.bytesCarried()).isPositive();
	}

	@Test
	void bytesListsNullAndFailuresComeBack() throws Exception {
		CallPath path = connect((frame) -> frame.method().method().getName().equals("nothing")
				? new Reply.Failure(404, Map.of("a", List.of("b")), new byte[] { 1 }, "x.Y")
				: Contracts.value(frame.arguments()[0]));
		byte[] bytes = Contracts.pattern(200_000, 1);
		assertThat(body(path.call(call("bytes", (Object) bytes)))).isEqualTo(bytes).isNotSameAs(bytes);
		assertThat(body(path.call(call("item", null, null)))).isNull();
		List<EchoContract.Item> items = List.of(new EchoContract.Item(), new EchoContract.Item());
		Object copies = body(path.call(call("items", items)));
		assertThat((List<?>) copies).hasSize(2).noneMatch((copy) -> copy == items.get(0) || copy == items.get(1));
		assertThat(((Reply.Failure) path.call(call("nothing"))).status()).isEqualTo(404);
	}

	@Test
	void aStatusThatHttpCannotCarryIsAnErrorOfThePath() throws Exception {
		AtomicInteger status = new AtomicInteger();
		CallPath path = connect((frame) -> frame.method().method().getName().equals("nothing")
				? new Reply.Failure(status.get(), Map.of(), new byte[0], "")
				: new Reply.Value(status.get(), Map.of(), "text"));
		for (int each : new int[] { -1, 0, 99, 1000 }) {
			status.set(each);
			for (CallFrame call : List.of(call("nothing"), call("join", "text", 1))) {
				PathException thrown = catchThrowableOfType(PathException.class, () -> path.call(call));
				assertThat(thrown).isNotNull().hasMessage("there is no status " + each);
				assertThat(thrown.maybeExecuted()).isTrue();
			}
		}
		status.set(999);
		assertThat(path.call(call("nothing")).status()).isEqualTo(999);
	}

	@Test
	void callsWithinCallsDoNotMixTheirBytes() throws Exception {
		AtomicReference<CallPath> self = new AtomicReference<>();
		CallPath path = connect((frame) -> {
			byte[] bytes = (byte[]) frame.arguments()[0];
			if (bytes.length > 0) {
				try {
					Object inner = body(self.get().call(call("bytes", (Object) new byte[bytes.length - 1])));
					assertThat((byte[]) inner).hasSize(bytes.length - 1);
				}
				catch (PathException ex) {
					return new Reply.Failure(500, Map.of(), new byte[0], ex.toString());
				}
			}
			return Contracts.value(bytes);
		});
		self.set(path);
		byte[] bytes = Contracts.pattern(50, 3);
		assertThat(body(path.call(call("bytes", (Object) bytes)))).isEqualTo(bytes);
	}

	@Test
	void missedDeadlineThrowsAtOnce() throws Exception {
		CallPath path = connect(this::hang);
		PathException ex = catchThrowableOfType(PathException.class, () -> path.call(within(50, "nothing")));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isTrue();
		PathException past = catchThrowableOfType(PathException.class, () -> path.call(within(-1, "nothing")));
		assertThat(past.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(past.maybeExecuted()).isFalse();
	}

	@Test
	void shortMethodsAreTrustedAfterSomeCallsAndLoseTrustByOverrunning() throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(0));
		CallPath path = connect((frame) -> {
			thread.set(Thread.currentThread());
			try {
				gate.get().await(300, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return Contracts.value(null);
		});
		path.call(within(10_000, "nothing"));
		assertThat(thread.get()).isNotSameAs(Thread.currentThread());
		// On a busy machine a call may be held up, and the trial begins anew.
		for (int i = 0; i <= 1000 * DeadlineRule.FIRST_TRIAL && thread.get() != Thread.currentThread(); i++) {
			path.call(within(10_000, "nothing"));
		}
		assertThat(thread.get()).isSameAs(Thread.currentThread());
		gate.set(new CountDownLatch(1));
		PathException ex = catchThrowableOfType(PathException.class, () -> path.call(within(20, "nothing")));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(thread.get()).isSameAs(Thread.currentThread());
		gate.get().countDown();
		path.call(within(10_000, "nothing"));
		assertThat(thread.get()).isNotSameAs(Thread.currentThread());
	}

	@Test
	void handlersThatInterruptTheirThreadNeverGetThatOfTheCaller() throws Exception {
		CallPath path = connect((frame) -> {
			Thread.currentThread().interrupt();
			return Contracts.value(null);
		});
		for (int i = 0; i < 4 * DeadlineRule.FIRST_TRIAL; i++) {
			path.call(call("join", "text", i));
			assertThat(Thread.interrupted()).as("call %d", i).isFalse();
		}
	}

	@Test
	void handlersThatInterruptTheirThreadLaterDoSoOnceOnThatOfTheCaller() throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		AtomicBoolean interrupts = new AtomicBoolean();
		CallPath path = connect((frame) -> {
			thread.set(Thread.currentThread());
			if (interrupts.get()) {
				Thread.currentThread().interrupt();
			}
			return Contracts.value(null);
		});
		for (int i = 0; i <= 1000 * DeadlineRule.FIRST_TRIAL && thread.get() != Thread.currentThread(); i++) {
			path.call(call("join", "text", i));
		}
		assertThat(thread.get()).isSameAs(Thread.currentThread());
		interrupts.set(true);
		int reached = 0;
		for (int i = 0; i < 4 * DeadlineRule.FIRST_TRIAL; i++) {
			path.call(call("join", "text", i));
			reached += Thread.interrupted() ? 1 : 0;
		}
		// It could as well be the caller's own, which must not be lost.
		assertThat(reached).isOne();
	}

	@Test
	void ruleDoublesItsTrialAfterAnOverrun() {
		DeadlineRule rule = new DeadlineRule();
		for (int i = 0; i < DeadlineRule.FIRST_TRIAL - 1; i++) {
			rule.observe(1, 100);
		}
		assertThat(rule.trusted()).isFalse();
		rule.observe(26, 100);
		for (int i = 0; i < DeadlineRule.FIRST_TRIAL; i++) {
			assertThat(rule.trusted()).isFalse();
			rule.observe(25, 100);
		}
		assertThat(rule.trusted()).isTrue();
		rule.observe(101, 100);
		for (int i = 0; i < 2 * DeadlineRule.FIRST_TRIAL; i++) {
			assertThat(rule.trusted()).isFalse();
			rule.observe(0, 100);
		}
		assertThat(rule.trusted()).isTrue();
		for (int i = 0; i < 20; i++) {
			rule.observe(101, 100);
		}
		assertThat(rule.trusted()).isFalse();
	}

	@Test
	void interruptWhileWaitingStaysSet() throws Exception {
		CallPath path = connect(this::hang);
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		AtomicReference<PathException> thrown = new AtomicReference<>();
		Thread caller = new Thread(() -> {
			thrown.set(catchThrowableOfType(PathException.class, () -> path.call(within(20_000, "nothing"))));
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		caller.start();
		this.entered.await();
		caller.interrupt();
		assertThat(interrupted.get()).isTrue();
		assertThat(thrown.get().reason()).isEqualTo(Reason.INTERRUPTED);
		assertThat(thrown.get().maybeExecuted()).isTrue();
	}

	@Test
	void stoppedApplicationIsForgottenByIdleCallers() throws Exception {
		PeerIdentity stopping = PeerIdentity.create(PeerIdentity.NO_HOST);
		Object handler = new Object();
		WeakReference<Object> known = new WeakReference<>(handler);
		DirectPathServer stopped = serve(stopping, handler);
		handler = null;
		CallPath path = ((PathProvider.Connected) this.provider.connect(this.contract,
				Contracts.announce(stopping, this.contract)))
			.path();
		assertThat(body(path.call(call("nothing")))).isNull();
		stopped.close();
		stopped = null;
		Async.await(() -> {
			System.gc();
			return known.get() == null;
		});
		assertThat(path.isOpen()).isFalse();
	}

	private DirectPathServer serve(PeerIdentity as, Object handler) {
		ServiceRegistry own = new ServiceRegistry();
		own.register(Contracts.service(this.contract, (frame) -> Contracts.value(handler.equals(frame) ? "" : null)));
		DirectPathServer started = new DirectPathServer(as, own, null, Duration.ofSeconds(5));
		started.start();
		return started;
	}

	@Test
	void stoppedApplicationIsGoneAfterItsCallsEnded() throws Exception {
		CallPath path = connect(this::hang);
		CompletableFuture<Reply> inFlight = Async.call(() -> path.call(call("nothing")));
		this.entered.await();
		CompletableFuture<Boolean> closed = Async.call(() -> {
			this.server.close();
			return true;
		});
		Async.await(() -> !path.isOpen());
		assertThat(closed).isNotDone();
		PathException ex = catchThrowableOfType(PathException.class, () -> path.call(call("nothing")));
		assertThat(ex.reason()).isEqualTo(Reason.PEER_GONE);
		assertThat(ex.maybeExecuted()).isFalse();
		this.release.countDown();
		assertThat(inFlight.get()).isEqualTo(Contracts.value(null));
		closed.get();
		assertThat(Neighbours.find(this.identity.instanceId())).isNull();
		PathException late = catchThrowableOfType(PathException.class, () -> path.call(within(1000, "nothing")));
		assertThat(late.reason()).isEqualTo(Reason.PEER_GONE);
	}

	@Test
	void fullExecutorRefuses() throws Exception {
		PeerIdentity other = PeerIdentity.create(PeerIdentity.NO_HOST);
		this.services.register(Contracts.echo(this.contract));
		try (DirectPathServer full = new DirectPathServer(other, this.services, (task) -> {
			throw new java.util.concurrent.RejectedExecutionException("full");
		}, Duration.ZERO)) {
			full.start();
			CallPath path = ((PathProvider.Connected) this.provider.connect(this.contract,
					Contracts.announce(other, this.contract)))
				.path();
			PathException ex = catchThrowableOfType(PathException.class, () -> path.call(within(1000, "nothing")));
			assertThat(ex.reason()).isEqualTo(Reason.EXHAUSTED);
			assertThat(ex.maybeExecuted()).isFalse();
			assertThat(body(path.call(call("nothing")))).isNull();
		}
	}

	@Test
	void reasonsWhyThereIsNoPath() {
		Contract other = Contracts.of(OtherContract.class);
		assertRefused(this.contract, "a filter covers it");
		assertThat(unavailable(other, this.identity)).contains("no bean offers");
		assertThat(unavailable(other, PeerIdentity.create(PeerIdentity.NO_HOST))).contains("another JVM");
		DirectPathServer twice = new DirectPathServer(this.identity, this.services, null, Duration.ZERO);
		twice.start();
		assertThat(twice.unavailable()).hasValueSatisfying((reason) -> assertThat(reason).contains("already"));
		twice.close();
		assertThat(Neighbours.find(this.identity.instanceId())).isNotNull();
	}

	private void assertRefused(Contract refused, String reason) {
		this.services.register(Contracts.service(refused, Optional.of(reason), (frame) -> Contracts.value(null)));
		this.server.start();
		assertThat(unavailable(refused, this.identity)).isEqualTo(reason);
	}

	private String unavailable(Contract called, PeerIdentity peer) {
		return ((PathProvider.Unavailable) this.provider.connect(called, Contracts.announce(peer, called))).reason();
	}

	@Test
	void serviceOfAnotherClassLoaderGetsItsOwnClasses() throws Exception {
		ClassLoader split = new SplitLoader(DirectPathTests.class.getClassLoader());
		Class<?> type = split.loadClass(EchoContract.class.getName());
		assertThat(type).isNotSameAs(EchoContract.class);
		Contract theirs = Contracts.of(type);
		AtomicReference<Object> seen = new AtomicReference<>();
		this.services.register(Contracts.service(theirs, (frame) -> {
			seen.set(frame.arguments()[0]);
			return Contracts.value(frame.arguments()[0]);
		}));
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(split);
		this.server.start();
		Thread.currentThread().setContextClassLoader(before);
		CallPath path = connect(this.contract);
		EchoContract.Item item = new EchoContract.Item();
		item.name = "split";
		EchoContract.Item result = (EchoContract.Item) body(path.call(call("item", item, "x")));
		assertThat(result.name).isEqualTo("split");
		assertThat(seen.get()).isNotInstanceOf(EchoContract.Item.class);
		assertThat(seen.get().getClass().getClassLoader()).isSameAs(split);
		assertThat(seen.get().getClass().getField("name").get(seen.get())).isEqualTo("split");
		assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
	}

	@Test
	void undecodableArgumentsAreNotExecuted() {
		CallPath path = connect((frame) -> Contracts.value(null));
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(call("items", List.of(new Unencodable()))));
		assertThat(ex.reason()).isEqualTo(Reason.CODEC);
		assertThat(ex.maybeExecuted()).isFalse();
	}

	/** No codec can read its property. */
	static final class Unencodable {

		public String getName() {
			throw new IllegalStateException("no name");
		}

	}

	/** Defines the contract and its types anew. */
	private static final class SplitLoader extends ClassLoader {

		SplitLoader(ClassLoader parent) {
			super(parent);
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(EchoContract.class.getName())) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
