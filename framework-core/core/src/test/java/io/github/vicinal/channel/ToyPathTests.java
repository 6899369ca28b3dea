package io.github.vicinal.channel;

import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A kind of path that no other class names. Its calls travel through a queue, which one
 * thread serves.
 */
@Timeout(60)
class ToyPathTests {

	private static final String ADDRESS = "shop:8080";

	private static final PathKind TOY = new PathKind("toy", 150, PathKind.Reach.NETWORK);

	interface Shop {

		String name();

	}

	private final Contract contract = Contract.of(Shop.class,
			(type, method) -> new MethodDescription(Arrays.asList(method.getGenericParameterTypes()),
					method.getGenericReturnType(), true, null));

	private final ToyProvider provider = new ToyProvider();

	private final Channel channel = channel(List.of(TOY));

	private Channel channel(List<PathKind> paths) {
		return new Channel(new ChannelSettings("shop", paths, null, Duration.ofSeconds(1), false), this.contract,
				List.of(this.provider), Runnable::run, Clock.systemUTC());
	}

	private CallFrame frame() {
		return new CallFrame(this.contract, this.contract.methods().get(0), new Object[0], CallFrame.NO_DEADLINE,
				Map.of());
	}

	private Peer connected(Channel client) {
		client.peer(ADDRESS)
			.announced(
					new PeerAnnouncement(PeerIdentity.create(""), Set.of("toy", "teleport"), this.contract.hash(), ""),
					System.nanoTime());
		return client.peer(ADDRESS);
	}

	private CallPath path(Peer peer) {
		return Objects.requireNonNull(peer.path(this.contract.methods().get(0), new Object[0]), peer::reasonForHttp);
	}

	private static PathReport report(Channel client, String id) {
		PeerReport peer = client.report().peers().get(0);
		return peer.paths().stream().filter((path) -> path.path().equals(id)).findFirst().orElseThrow();
	}

	@AfterEach
	void close() {
		this.channel.close();
		this.provider.close();
	}

	@Test
	void itIsChosenAndReported() throws PathException {
		Peer peer = connected(this.channel);
		CallPath path = path(peer);
		assertThat(path.kind().id()).isEqualTo("toy");
		assertThat(peer.calls().call(path, frame())).isEqualTo(new Reply.Value(200, Map.of(), "toy"));
		assertThat(report(this.channel, "toy")).returns("in use", PathReport::state)
			.returns(1L, PathReport::calls)
			.returns(Map.of("queue", 0), PathReport::details);
		assertThat(this.channel.report().peers().get(0)).returns("toy", PeerReport::path)
			.returns("over the network", PeerReport::reason);
		assertThat(this.channel.report().peers().get(0).paths()).extracting(PathReport::path)
			.containsExactly("toy", "http");
	}

	@Test
	void withoutItInTheSettingsItIsReportedAsNotAllowed() {
		Channel http = channel(List.of());
		Peer peer = connected(http);
		assertThat(peer.hasPath()).isFalse();
		assertThat(report(http, "toy")).returns("unavailable", PathReport::state)
			.returns("not allowed by configuration", PathReport::reason);
	}

	@Test
	void itIsLeftWhenItCloses() {
		Peer peer = connected(this.channel);
		CallPath path = path(peer);
		path.close();
		assertThat(peer.look()).isZero();
		assertThat(peer.hasPath()).isFalse();
		assertThat(peer.reasonForHttp()).isEqualTo("toy: the peer is gone");
	}

	@Test
	void aCallCompletesLaterWithoutAThreadOfItsOwn() throws Exception {
		Peer peer = connected(this.channel);
		CompletionStage<Reply> answer = peer.calls().callLater(path(peer), frame(), (task) -> {
			throw new RejectedExecutionException("the toy needs no thread");
		});
		assertThat(answer.toCompletableFuture().get(20, TimeUnit.SECONDS))
			.isEqualTo(new Reply.Value(200, Map.of(), "toy"));
		assertThat(report(this.channel, "toy")).returns(1L, PathReport::calls).returns(0L, PathReport::errors);
		assertThat(peer.inFlight()).isZero();
	}

	@Test
	void aCallThatFailsLaterCountsAsAnError() {
		Peer peer = connected(this.channel);
		this.provider.failure = new PathException(PathException.Reason.TIMEOUT, true, "too late", null);
		CompletionStage<Reply> answer = peer.calls().callLater(path(peer), frame(), Runnable::run);
		assertThat(answer).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isSameAs(this.provider.failure);
		assertThat(report(this.channel, "toy")).returns(1L, PathReport::calls).returns(1L, PathReport::errors);
		assertThat(peer.inFlight()).isZero();
	}

	@Test
	void aPathThatOnlyWaitsUsesTheExecutor() throws Exception {
		Peer peer = connected(this.channel);
		CallPath waiting = new WaitingPath(path(peer));
		CompletionStage<Reply> refused = peer.calls().callLater(waiting, frame(), (task) -> {
			throw new RejectedExecutionException("full");
		});
		assertThat(refused).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(PathException.class, (ex) -> {
				assertThat(ex.reason()).isEqualTo(PathException.Reason.EXHAUSTED);
				assertThat(ex.maybeExecuted()).isFalse();
			});
		assertThat(
				peer.calls().callLater(waiting, frame(), Runnable::run).toCompletableFuture().get(20, TimeUnit.SECONDS))
			.isEqualTo(new Reply.Value(200, Map.of(), "toy"));
	}

	@Test
	void anExecutorWithoutAThreadForACallLeavesItUnexecuted() {
		Peer peer = connected(this.channel);
		CompletionStage<Reply> refused = peer.calls().callLater(new WaitingPath(path(peer)), frame(), (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		assertThat(refused).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(PathException.class, (ex) -> {
				assertThat(ex.reason()).isEqualTo(PathException.Reason.EXHAUSTED);
				assertThat(ex.maybeExecuted()).isFalse();
			});
		assertThat(report(this.channel, "toy")).returns(0L, PathReport::errors);
		assertThat(peer.inFlight()).isZero();
	}

	@Test
	void aPeerSaysWhetherItsPathNeedsAThread() {
		assertThat(this.channel.peer("other:80").callsLater()).isFalse();
		assertThat(connected(this.channel).callsLater()).isTrue();
	}

	/** The same path, without an answer that comes later of itself. */
	private record WaitingPath(CallPath path) implements CallPath {

		@Override
		public PathKind kind() {
			return this.path.kind();
		}

		@Override
		public CodecChoice codec() {
			return this.path.codec();
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			return this.path.call(frame);
		}

		@Override
		public boolean isOpen() {
			return this.path.isOpen();
		}

		@Override
		public long bytesCarried() {
			return 0;
		}

		@Override
		public void close() {
			this.path.close();
		}

	}

	private static final class ToyProvider implements PathProvider {

		private final BlockingQueue<CompletableFuture<Reply>> queue = new LinkedBlockingQueue<>();

		private final Thread server = new Thread(this::serve, "toy");

		private volatile @Nullable PathException failure;

		ToyProvider() {
			this.server.setDaemon(true);
			this.server.start();
		}

		private void serve() {
			try {
				while (true) {
					CompletableFuture<Reply> call = this.queue.take();
					PathException problem = this.failure;
					if (problem != null) {
						call.completeExceptionally(problem);
					}
					else {
						call.complete(new Reply.Value(200, Map.of(), "toy"));
					}
				}
			}
			catch (InterruptedException ex) {
				// The test has ended.
			}
		}

		@Override
		public PathKind kind() {
			return TOY;
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			return new Connected(
					new ToyPath(this.queue, new Codecs(new JsonMapper(), false).choose(contract, Set.of("jackson"))));
		}

		@Override
		public void close() {
			this.server.interrupt();
		}

	}

	private static final class ToyPath implements CallPath {

		private final BlockingQueue<CompletableFuture<Reply>> queue;

		private final CodecChoice codec;

		private volatile boolean open = true;

		ToyPath(BlockingQueue<CompletableFuture<Reply>> queue, CodecChoice codec) {
			this.queue = queue;
			this.codec = codec;
		}

		@Override
		public PathKind kind() {
			return TOY;
		}

		@Override
		public CodecChoice codec() {
			return this.codec;
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			try {
				return callLater(frame, Runnable::run).toCompletableFuture().get(20, TimeUnit.SECONDS);
			}
			catch (Exception ex) {
				throw new PathException(PathException.Reason.IO, true, "no answer", ex);
			}
		}

		@Override
		public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
			CompletableFuture<Reply> answer = new CompletableFuture<>();
			this.queue.add(answer);
			return answer;
		}

		@Override
		public boolean callsLater() {
			return true;
		}

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public long bytesCarried() {
			return 0;
		}

		@Override
		public Map<String, Object> details() {
			return Map.of("queue", this.queue.size());
		}

		@Override
		public void close() {
			this.open = false;
		}

	}

}
