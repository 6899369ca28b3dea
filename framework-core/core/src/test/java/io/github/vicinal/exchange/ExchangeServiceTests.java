package io.github.vicinal.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.exchange.ExchangeMessage.Abort;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Pull;
import io.github.vicinal.exchange.ExchangeMessage.Push;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.server.HttpRequiredException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Clients that behave well, and those that do not. */
@Timeout(60)
class ExchangeServiceTests {

	/** More than a handler may take to return after its response has left. */
	private static final long WORKING_ON_MILLIS = 20;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final TestHandler handler = new TestHandler();

	private final ExchangeService service = new ExchangeService(this.handler,
			new Codecs(JsonMapper.builder().build(), false, List.of(HttpExchanges.codec())));

	@AfterEach
	void stop() {
		this.service.close();
		this.threads.shutdownNow();
	}

	private Answer call(String method, ExchangeMessage message) {
		ContractMethod called = HttpExchanges.Contracts.method(method);
		Reply reply = this.service.invoke(new CallFrame(HttpExchanges.contract(), called, new Object[] { message },
				CallFrame.NO_DEADLINE, Map.of()));
		return (Answer) ((Reply.Value) reply).body();
	}

	private Answer begin(String target, byte[] body, boolean last) {
		return call("begin", new Begin(new RequestHead("POST", target, HttpFields.NONE), ByteBuffer.wrap(body), last));
	}

	@Test
	void aSmallExchangeIsOneCall() {
		for (int i = 0; i < 5; i++) {
			Answer answer = begin("/echo", new byte[] { 1, 2, 3 }, true);
			assertThat(answer.end()).isEqualTo(End.COMPLETE);
			assertThat(answer.exchange()).isZero();
			assertThat(answer.head()).isNotNull();
			assertThat(answer.body().remaining()).isEqualTo(3);
		}
		assertThat(this.handler.here).isEqualTo(3);
		assertThat(this.service.kept()).isZero();
	}

	/** A client that waits for a part would wait for its own thread. */
	@Test
	void aResponseThatMayComeInPartsIsNeverMadeOnTheThreadOfItsClient() {
		for (int i = 0; i < 3; i++) {
			assertThat(begin("/echo", new byte[] { 1 }, true).end()).isEqualTo(End.COMPLETE);
		}
		assertThat(this.handler.here).isEqualTo(1);
		this.handler.begun = ServerExchange::madeInParts;
		begin("/echo", new byte[] { 1 }, true);
		this.handler.begun = ServerExchange::madeWhole;
		for (int i = 0; i < 5; i++) {
			begin("/echo", new byte[] { 1 }, true);
		}
		assertThat(this.handler.here).isEqualTo(2);
	}

	@Test
	void nothingIsMadeThereOfWhichNobodyKnowsHow() {
		this.handler.begun = (exchange) -> {
		};
		for (int i = 0; i < 5; i++) {
			begin("/echo", new byte[] { 1 }, true);
		}
		assertThat(this.handler.here).isZero();
	}

	@Test
	void aHandlerThatRespondsInPartsCountsWhateverFollows() {
		this.handler.begun = (exchange) -> {
			exchange.madeInParts();
			exchange.madeWhole();
		};
		for (int i = 0; i < 5; i++) {
			begin("/echo", new byte[] { 1 }, true);
		}
		assertThat(this.handler.here).isZero();
	}

	/** It knows no number that it could abort. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aClientThatGivesUpBeforeTheFirstAnswerIsGone(boolean whole) throws Exception {
		CallFrame frame = new CallFrame(HttpExchanges.contract(), HttpExchanges.Contracts.method("begin"),
				new Object[] {
						new Begin(new RequestHead("POST", "/quiet", HttpFields.NONE), ByteBuffer.allocate(1), whole) },
				CallFrame.NO_DEADLINE, Map.of());
		CompletableFuture<Reply> begun = CompletableFuture.supplyAsync(() -> this.service.invoke(frame), this.threads);
		await().until(() -> this.handler.served > 0);
		frame.abandon();
		assertThat(this.handler.ended.get(20, TimeUnit.SECONDS)).isEqualTo("gone");
		begun.get(20, TimeUnit.SECONDS);
		assertThat(this.service.kept()).isZero();
		assertThat(this.service.isBusy()).isFalse();
	}

	@Test
	void aClientThatGivesUpWhileItsFirstAnswerIsOnItsWayIsGone() throws Exception {
		CallFrame frame = new CallFrame(HttpExchanges.contract(), HttpExchanges.Contracts.method("begin"),
				new Object[] {
						new Begin(new RequestHead("POST", "/quiet", HttpFields.NONE), ByteBuffer.allocate(1), true) },
				CallFrame.NO_DEADLINE, Map.of());
		this.service.invoke(frame);
		assertThat(this.service.kept()).isOne();
		frame.abandon();
		assertThat(this.handler.ended.get(20, TimeUnit.SECONDS)).isEqualTo("gone");
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void aLongRequestIsPushed() {
		Answer answer = begin("/echo", new byte[ExchangeMessage.PART_BYTES], false);
		long received = 0;
		for (int i = 0; i < 4; i++) {
			while (answer.end() == End.FULL) {
				received += answer.body().remaining();
				answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(0), false));
			}
			received += answer.body().remaining();
			answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(ExchangeMessage.PART_BYTES), i == 3));
			assertThat(answer.end()).isNotEqualTo(End.UNKNOWN);
		}
		while (answer.end() != End.COMPLETE) {
			received += answer.body().remaining();
			answer = call("pull", new Pull(answer.exchange()));
			assertThat(answer.end()).isIn(End.OPEN, End.COMPLETE);
		}
		received += answer.body().remaining();
		assertThat(received).isEqualTo(5L * ExchangeMessage.PART_BYTES);
		assertThat(this.service.kept()).isZero();
	}

	/** Half a second for each part would be too long. */
	@Test
	void nobodyWaitsForRoomWhileTheHandlerWaitsForTheClient() {
		int parts = 200;
		Answer answer = begin("/echo", new byte[ExchangeMessage.PART_BYTES], false);
		long received = answer.body().remaining();
		for (int i = 1; i < parts; i++) {
			while (answer.end() == End.FULL) {
				answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(0), false));
				received += answer.body().remaining();
			}
			assertThat(answer.end()).isEqualTo(End.OPEN);
			answer = call("push",
					new Push(answer.exchange(), ByteBuffer.allocate(ExchangeMessage.PART_BYTES), i == parts - 1));
			received += answer.body().remaining();
		}
		while (answer.end() != End.COMPLETE) {
			assertThat(answer.end()).isIn(End.OPEN, End.FULL);
			answer = call("pull", new Pull(answer.exchange()));
			received += answer.body().remaining();
		}
		assertThat(received).isEqualTo((long) parts * ExchangeMessage.PART_BYTES);
	}

	@Test
	void aPartThatWasNotAskedForEndsTheExchange() throws Exception {
		Answer answer = begin("/never", new byte[ExchangeMessage.PART_BYTES], false);
		assertThat(answer.end()).isEqualTo(End.FULL);
		assertThat(call("push", new Push(answer.exchange(), ByteBuffer.allocate(1), false)).end())
			.isEqualTo(End.UNKNOWN);
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("reset");
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void anUnknownNumberIsSaidToBeUnknown() {
		assertThat(call("pull", new Pull(4711)).end()).isEqualTo(End.UNKNOWN);
		assertThat(call("push", new Push(4711, ByteBuffer.allocate(1), true)).end()).isEqualTo(End.UNKNOWN);
		call("abort", new Abort(4711));
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void anAbortReachesTheHandler() throws Exception {
		Answer answer = begin("/never", new byte[0], false);
		call("abort", new Abort(answer.exchange()));
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("reset");
		assertThat(this.service.kept()).isZero();
	}

	/** A client by a socket closes its connection. */
	@Test
	void aClientThatDoesNotWaitAnyLongerHasGone() throws Exception {
		CallFrame frame = new CallFrame(HttpExchanges.contract(), HttpExchanges.Contracts.method("begin"),
				new Object[] {
						new Begin(new RequestHead("GET", "/quiet", HttpFields.NONE), ByteBuffer.allocate(0), true) },
				System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20), Map.of());
		assertThat(((Answer) ((Reply.Value) this.service.invoke(frame)).body()).end()).isEqualTo(End.OPEN);
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("gone");
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void anOfferToAClientThatHasGoneFails() throws Exception {
		CompletableFuture<ServerExchange> known = new CompletableFuture<>();
		this.handler.begun = known::complete;
		Answer answer = begin("/never", new byte[0], false);
		ServerExchange exchange = known.get(30, TimeUnit.SECONDS);
		assertThat(exchange.offer(ByteBuffer.allocate(1), () -> {
		})).isTrue();
		call("abort", new Abort(answer.exchange()));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> exchange.offer(ByteBuffer.allocate(1), () -> {
		})).withMessageContaining("Broken pipe");
		CompletableFuture<Void> gone = new CompletableFuture<>();
		exchange.whenAbandoned(() -> gone.complete(null));
		assertThat(gone).isCompleted();
	}

	@Test
	void aResponseIsCompleteWhenAllThatWasAnnouncedIsTaken() {
		CompletableFuture<Void> gate = new CompletableFuture<>();
		this.handler.begun = (exchange) -> {
			exchange.commit(new ResponseHead(200, HttpFields.builder().add("Content-Length", "3").build()));
			try {
				exchange.write(ByteBuffer.wrap(new byte[3]));
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			exchange.flush();
			gate.join();
		};
		Answer answer = begin("/echo", new byte[0], true);
		assertThat(answer.end()).isEqualTo(End.COMPLETE);
		assertThat(answer.body().remaining()).isEqualTo(3);
		assertThat(this.service.kept()).isZero();
		gate.complete(null);
	}

	/** A client would wait for a filter that works on, by its own thread. */
	@Test
	void nothingIsMadeThereAfterWhoseResponseSomethingWorksOn() {
		CountDownLatch never = new CountDownLatch(1);
		this.handler.begun = (exchange) -> {
			exchange.madeWhole();
			exchange.commit(new ResponseHead(204, HttpFields.NONE));
			exchange.flush();
			try {
				assertThat(never.await(WORKING_ON_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
		for (int i = 0; i < 5; i++) {
			assertThat(begin("/begun", new byte[0], true).end()).isEqualTo(End.COMPLETE);
			await().until(() -> !this.service.isBusy());
		}
		assertThat(this.handler.here).isZero();
	}

	/** Else the client would keep it to itself. */
	@Test
	void aResponseIsNotCompleteBeforeTheRequestIs() throws Exception {
		CompletableFuture<Void> committed = new CompletableFuture<>();
		this.handler.begun = (exchange) -> {
			exchange.commit(new ResponseHead(200, HttpFields.builder().add("Content-Length", "0").build()));
			exchange.finish();
			exchange.flush();
			committed.complete(null);
		};
		Answer answer = begin("/echo", new byte[0], false);
		committed.get(30, TimeUnit.SECONDS);
		assertThat(answer.end()).isIn(End.OPEN, End.FULL);
		answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(0), false));
		assertThat(answer.end()).isIn(End.OPEN, End.FULL);
		answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(0), true));
		while (answer.end() == End.OPEN) {
			answer = call("pull", new Pull(answer.exchange()));
		}
		assertThat(answer.end()).isEqualTo(End.COMPLETE);
	}

	/** Nothing follows for the client, although its request ended after the response. */
	@Test
	void aResponseThatHasEndedIsCompleteWithTheRequest() throws Exception {
		CompletableFuture<Void> finished = new CompletableFuture<>();
		CompletableFuture<Void> goesOn = new CompletableFuture<>();
		this.handler.begun = (exchange) -> {
			exchange.commit(new ResponseHead(200, HttpFields.NONE));
			exchange.finish();
			finished.complete(null);
			goesOn.join();
		};
		Answer answer = begin("/echo", new byte[1], false);
		finished.get(30, TimeUnit.SECONDS);
		answer = call("push", new Push(answer.exchange(), ByteBuffer.allocate(1), true));
		assertThat(answer.end()).isEqualTo(End.COMPLETE);
		goesOn.complete(null);
	}

	/** As web servers wait for requests whose clients have the response. */
	@Test
	void aServerIsBusyWhileAHandlerGoesOnAfterItsResponse() throws Exception {
		CompletableFuture<Void> goesOn = new CompletableFuture<>();
		this.handler.begun = (exchange) -> {
			exchange.commit(new ResponseHead(204, HttpFields.NONE));
			exchange.flush();
			goesOn.join();
		};
		assertThat(begin("/echo", new byte[0], true).end()).isEqualTo(End.COMPLETE);
		assertThat(this.service.kept()).isZero();
		assertThat(this.service.isBusy()).isTrue();
		goesOn.complete(null);
		await().until(() -> !this.service.isBusy());
	}

	/** One of two handlers that share a shape may go on for long. */
	@Test
	void oneHandlerThatRespondsInPartsIsEnough() {
		begin("/echo", new byte[1], true);
		begin("/echo", new byte[1], true);
		this.handler.begun = (exchange) -> {
			exchange.madeInParts();
			this.handler.begun = ServerExchange::madeWhole;
			begin("/echo", new byte[1], true);
		};
		begin("/echo", new byte[1], true);
		assertThat(this.handler.here).isEqualTo(1);
	}

	/** As after the end of its process, when no other client asks for anything. */
	@Test
	void aClientThatIsSilentIsGivenUp() throws Exception {
		this.handler.ioTimeout = Duration.ofMillis(50);
		begin("/never", new byte[0], false);
		assertThat(this.service.kept()).isOne();
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("reset");
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void aClientThatNeverReadsIsGivenUp() throws Exception {
		this.handler.ioTimeout = Duration.ofMillis(50);
		Answer answer = begin("/much", new byte[0], true);
		assertThat(answer.end()).isEqualTo(End.OPEN);
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("the body was not read");
		Answer last = call("pull", new Pull(answer.exchange()));
		while (last.end() == End.OPEN) {
			last = call("pull", new Pull(answer.exchange()));
		}
		// On a slow machine it is forgotten, too.
		assertThat(last.end()).isIn(End.CUT_OFF, End.UNKNOWN);
	}

	@Test
	void aResponseWithoutEndIsReadInPartsThatStayBounded() {
		Answer answer = begin("/much", new byte[0], true);
		for (int i = 0; i < 50; i++) {
			assertThat(answer.body().remaining()).isLessThanOrEqualTo(ExchangeMessage.PART_BYTES);
			answer = call("pull", new Pull(answer.exchange()));
			assertThat(answer.end()).isEqualTo(End.OPEN);
		}
		call("abort", new Abort(answer.exchange()));
	}

	@Test
	void withoutThreadsRequestsComeByHttp() {
		this.threads.shutdown();
		assertThatExceptionOfType(HttpRequiredException.class).isThrownBy(() -> begin("/echo", new byte[0], true));
		assertThat(this.service.kept()).isZero();
	}

	@Test
	void closingEndsWhatIsOnItsWay() throws Exception {
		begin("/never", new byte[0], false);
		this.service.close();
		assertThat(this.handler.ended.get(30, TimeUnit.SECONDS)).contains("reset");
	}

	/** A web server of a few pages. */
	private final class TestHandler implements ExchangeHandler {

		private final CompletableFuture<String> ended = new CompletableFuture<>();

		private Duration ioTimeout = Duration.ofSeconds(20);

		private int here;

		private volatile int served;

		private Consumer<ServerExchange> begun = ServerExchange::madeWhole;

		@Override
		public Optional<String> refusal() {
			return Optional.empty();
		}

		@Override
		public void check(ServerExchange exchange) {
			assertThat(exchange.ticket()).isEmpty();
		}

		@Override
		public void serveHere(ServerExchange exchange) {
			this.here++;
			serve(exchange);
		}

		@Override
		public void serveElsewhere(ServerExchange exchange) {
			if (ExchangeServiceTests.this.threads.isShutdown()) {
				throw new RejectedExecutionException();
			}
			ExchangeServiceTests.this.threads.execute(() -> serve(exchange));
		}

		private void serve(ServerExchange exchange) {
			this.served = this.served + 1;
			this.begun.accept(exchange);
			try {
				switch (exchange.head().target()) {
					case "/echo" -> echo(exchange);
					case "/much" -> much(exchange);
					case "/quiet" -> quiet(exchange);
					case "/begun" -> {
					}
					default -> never(exchange);
				}
				exchange.end(null);
			}
			catch (IOException ex) {
				exchange.end(ex);
				this.ended.complete(String.valueOf(ex.getMessage()));
			}
		}

		private void echo(ServerExchange exchange) throws IOException {
			exchange.commit(new ResponseHead(200, HttpFields.NONE));
			byte[] buffer = new byte[10_000];
			int read = exchange.read(buffer, 0, buffer.length);
			while (read >= 0) {
				exchange.write(ByteBuffer.wrap(buffer.clone(), 0, read));
				read = exchange.read(buffer, 0, buffer.length);
			}
		}

		private void much(ServerExchange exchange) throws IOException {
			exchange.commit(new ResponseHead(200, HttpFields.NONE));
			while (true) {
				exchange.write(ByteBuffer.allocate(100_000));
			}
		}

		/** Says nothing for as long as its client is there. */
		private void quiet(ServerExchange exchange) throws IOException {
			CompletableFuture<Void> gone = new CompletableFuture<>();
			exchange.whenAbandoned(() -> gone.complete(null));
			gone.join();
			throw new IOException("gone");
		}

		/** Waits for a body that is left in the pipe, until the client is gone. */
		private void never(ServerExchange exchange) throws IOException {
			CompletableFuture<Void> gone = new CompletableFuture<>();
			while (!gone.isDone()) {
				if (exchange.request().failure() != null) {
					throw new IOException("reset: " + exchange.request().failure());
				}
				Thread.onSpinWait();
			}
		}

		@Override
		public Duration ioTimeout() {
			return this.ioTimeout;
		}

	}

}
