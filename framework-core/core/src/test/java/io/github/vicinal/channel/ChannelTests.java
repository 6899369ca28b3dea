package io.github.vicinal.channel;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.selection.PathSelector;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Moves of a channel between paths; connecting runs when the test says so. */
class ChannelTests {

	private static final String ADDRESS = "shop:8080";

	private static final PathKind SHM = new PathKind("shm", 100, PathKind.Reach.SAME_HOST);

	private static final PathKind UDS = new PathKind("uds", 200, PathKind.Reach.SAME_HOST);

	interface Shop {

		String name();

	}

	private final Contract contract = Contract.of(Shop.class,
			(type, method) -> new MethodDescription(Arrays.asList(method.getGenericParameterTypes()),
					method.getGenericReturnType(), true, null));

	private final Deque<Runnable> connecting = new ArrayDeque<>();

	private final FakeProvider direct = new FakeProvider(PathKind.DIRECT);

	private final FakeProvider uds = new FakeProvider(UDS);

	private final Channel channel = channel(Duration.ofNanos(1), false);

	private Channel channel(Duration reconnectDelay, boolean compares) {
		return new Channel(new ChannelSettings("shop", List.of(PathKind.DIRECT, UDS), null, reconnectDelay, compares),
				this.contract, List.of(this.direct, this.uds), this.connecting::add, Clock.systemUTC());
	}

	private PeerAnnouncement announcement(PeerIdentity peer, PathKind... paths) {
		return new PeerAnnouncement(peer, Arrays.stream(paths).map(PathKind::id).collect(Collectors.toSet()),
				this.contract.hash(), "");
	}

	private static PathReport pathOf(PeerReport peer, String id) {
		return peer.paths().stream().filter((path) -> path.path().equals(id)).findFirst().orElseThrow();
	}

	private void runConnector() {
		while (!this.connecting.isEmpty()) {
			this.connecting.poll().run();
		}
	}

	private @Nullable CallPath path(Channel channel, @Nullable String address) {
		Peer peer = channel.known(address);
		return (peer != null) ? peer.path(this.contract.methods().get(0), new Object[0]) : null;
	}

	private PeerReport report() {
		return this.channel.report().peers().get(0);
	}

	private CallFrame frame() {
		return new CallFrame(this.contract, this.contract.methods().get(0), new Object[0], CallFrame.NO_DEADLINE,
				Map.of());
	}

	@Test
	void theBestPathThatConnectsIsTakenInTheBackground() {
		this.direct.attempt = new PathProvider.Unavailable("another JVM", false);
		PeerIdentity peer = PeerIdentity.create("");
		this.channel.peer(ADDRESS).announced(announcement(peer, PathKind.DIRECT, UDS), System.nanoTime());

		assertThat(path(this.channel, null)).isNull();
		assertThat(report().reason()).contains("connecting");

		runConnector();

		assertThat(path(this.channel, null)).isSameAs(this.uds.paths.get(0));
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(0));
		assertThat(path(this.channel, "elsewhere:80")).isNull();
		assertThat(report().instanceId()).isEqualTo(peer.instanceId());
		assertThat(pathOf(report(), "direct").reason()).isEqualTo("another JVM");
		assertThat(report().decisions()).singleElement().asString().contains("http -> uds, all calls: same host");
	}

	private Contract byStructure(@Nullable String reason) {
		ContractMethod method = this.contract.methods().get(0);
		return Contract
			.structural(Shop.class,
					List.of(new ContractMethod(0, method.method(), method.signature(), method.argumentTypes(),
							method.resultType(), method.idempotent(), reason, method.textArguments())),
					"0123456789abcdef");
	}

	private static PeerAnnouncement structural(PeerIdentity peer) {
		return new PeerAnnouncement(peer, Set.of("uds"), "0123456789abcdef", "");
	}

	@Test
	void aPeerWithoutTheInterfaceIsCalledByStructure() {
		PeerIdentity peer = PeerIdentity.create("");
		this.channel.peer(ADDRESS).announced(structural(peer), System.nanoTime());
		runConnector();
		assertThat(report().reason()).contains("the contract differs");
		assertThat(this.uds.contracts).isEmpty();

		Contract structural = byStructure(null);
		this.channel.structural(structural);
		this.channel.peer(ADDRESS).announced(structural(peer), System.nanoTime());
		runConnector();
		assertThat(this.uds.contracts).containsExactly(structural);
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(0));

		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		assertThat(this.uds.paths.get(0).closed).as("the peer has the interface now").isTrue();
		assertThat(path(this.channel, ADDRESS)).isNull();
		runConnector();
		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		runConnector();
		assertThat(this.uds.contracts).containsExactly(structural, this.contract);
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(1));
	}

	@Test
	void aMethodWithoutAStructureIsLeftToHttp() {
		this.channel.structural(byStructure("it has a default value"));
		Peer peer = this.channel.peer(ADDRESS);
		peer.announced(structural(PeerIdentity.create("")), System.nanoTime());
		runConnector();
		assertThat(peer.hasPath()).isTrue();
		assertThat(peer.httpOnlyReason(this.contract.methods().get(0))).isEqualTo("it has a default value");
	}

	/** A gateway may lead the requests of each method elsewhere. */
	@Test
	void aMethodIsLeftToHttpUntilARequestOfItsOwnHasReachedItsHandler() {
		this.channel.structural(byStructure(null));
		ContractMethod method = this.contract.methods().get(0);
		Peer peer = this.channel.peer(ADDRESS);
		PeerIdentity instance = PeerIdentity.create("");
		peer.announced(structural(instance), System.nanoTime());
		runConnector();
		assertThat(peer.hasPath()).isTrue();
		assertThat(peer.httpOnlyReason(method)).contains("no HTTP request for the method");

		peer.announced(structural(instance), System.nanoTime(), PathRule.ANY, method);
		assertThat(peer.httpOnlyReason(method)).isNull();
		peer.announced(structural(instance), System.nanoTime());
		assertThat(peer.httpOnlyReason(method)).as("another request").isNull();

		PeerAnnouncement elsewhere = new PeerAnnouncement(instance, Set.of("uds"), "0123456789abcdef",
				"requests reach another handler", Set.of(0));
		peer.announced(elsewhere, System.nanoTime(), PathRule.ANY, method);
		assertThat(peer.httpOnlyReason(method)).isEqualTo("requests reach another handler");
		peer.announced(structural(instance), System.nanoTime());
		assertThat(peer.httpOnlyReason(method)).as("another request").contains("no HTTP request for the method");

		peer.announced(structural(instance), System.nanoTime(), PathRule.ANY, method);
		peer.announced(structural(PeerIdentity.create("")), System.nanoTime());
		assertThat(peer.httpOnlyReason(method)).as("another instance").contains("no HTTP request for the method");

		peer.announced(new PeerAnnouncement(instance, Set.of(), "0123456789abcdef", "an advice changes bodies"),
				System.nanoTime(), PathRule.ANY, method);
		assertThat(peer.httpOnlyReason(method)).isEqualTo("an advice changes bodies");
	}

	/** Answers of two instances, one of which still has the interface, may overlap. */
	@Test
	void aPathThatWasConnectedForAnotherContractIsNotTaken() {
		this.channel.structural(byStructure(null));
		PeerIdentity peer = PeerIdentity.create("");
		this.channel.peer(ADDRESS).announced(structural(peer), System.nanoTime());
		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isNull();
		assertThat(this.uds.paths.get(0).closed).isTrue();
		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(1));
	}

	@Test
	void aPathThatMayNotStandInForTheRequestsIsNotConnected() {
		PathRule rule = (kind, protection, peer) -> kind.equals(UDS) ? "not past " + peer.arrival() : null;
		this.direct.attempt = new PathProvider.Unavailable("another JVM", false);
		PeerAnnouncement announcement = announcement(PeerIdentity.create(""), PathKind.DIRECT, UDS)
			.withArrival("10.0.0.1:80");
		this.channel.peer(ADDRESS).announced(announcement, System.nanoTime(), rule);
		runConnector();
		assertThat(this.uds.paths).isEmpty();
		assertThat(pathOf(report(), "uds").reason()).isEqualTo("not past 10.0.0.1:80");
		assertThat(report().reason()).contains("not past 10.0.0.1:80");
	}

	@Test
	void aPathThatIsOpenIsLeftWhenRequestsComeAnotherWay() {
		PathRule rule = (kind, protection, peer) -> peer.origin().equals("10.0.0.9") ? "a proxy" : null;
		PeerAnnouncement announcement = announcement(PeerIdentity.create(""), UDS);
		Peer peer = this.channel.peer(ADDRESS);
		peer.announced(announcement.withOrigin("10.0.0.2"), System.nanoTime(), rule);
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isNotNull();
		peer.announced(announcement.withOrigin("10.0.0.9"), System.nanoTime(), rule);
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isNull();
		assertThat(report().reason()).contains("a proxy");
		assertThat(this.uds.paths.get(0).closed).isTrue();
	}

	@Test
	void thePathThatIsConfiguredFirstIsTaken() {
		FakeProvider shm = new FakeProvider(SHM);
		Channel ordered = new Channel(new ChannelSettings("shop", List.of(UDS, SHM), null, Duration.ofNanos(1), false),
				this.contract, List.of(shm, this.uds), this.connecting::add, Clock.systemUTC());
		ordered.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), SHM, UDS), System.nanoTime());
		runConnector();
		assertThat(path(ordered, ADDRESS)).isSameAs(this.uds.paths.get(0));
		PeerReport report = ordered.report().peers().get(0);
		assertThat(report.path()).isEqualTo("uds");
		assertThat(pathOf(report, "shm").state()).isEqualTo("standby");

		this.uds.paths.get(0).failure = new PathException(PathException.Reason.PEER_GONE, true, "gone", null);
		assertThatExceptionOfType(PathException.class)
			.isThrownBy(() -> ordered.known(ADDRESS).calls().call(this.uds.paths.get(0), frame()));
		assertThat(path(ordered, ADDRESS)).isSameAs(shm.paths.get(0));
	}

	@Test
	void nothingIsConnectedWhereOnlyHttpIsAllowed() {
		Channel http = new Channel(new ChannelSettings("shop", List.of(), null, Duration.ofNanos(1), false),
				this.contract, List.of(this.direct, this.uds), this.connecting::add, Clock.systemUTC());
		http.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), PathKind.DIRECT, UDS), System.nanoTime());
		assertThat(this.connecting).isEmpty();
		PeerReport report = http.report().peers().get(0);
		assertThat(report.path()).isEqualTo("http");
		assertThat(report.reason()).isEqualTo("not allowed by configuration");
		assertThat(report.paths()).filteredOn((path) -> path.path().equals("uds"))
			.singleElement()
			.satisfies((path) -> assertThat(path.reason()).isEqualTo("not allowed by configuration"));
	}

	@Test
	void aFailedPathIsLeftAtOnceAndConnectedAgain() {
		PeerIdentity peer = PeerIdentity.create("");
		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		runConnector();
		FakePath first = this.uds.paths.get(0);
		first.failure = new PathException(PathException.Reason.PEER_GONE, true, "the peer is gone", null);

		assertThatExceptionOfType(PathException.class)
			.isThrownBy(() -> this.channel.known(ADDRESS).calls().call(first, frame()));
		assertThat(first.open).isFalse();
		assertThat(path(this.channel, ADDRESS)).isNull();
		assertThat(report().reason()).contains("the peer is gone");

		this.channel.peer(ADDRESS).announced(announcement(peer, UDS), System.nanoTime());
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(1));
		assertThat(report().decisions()).hasSize(3);
	}

	@Test
	void aFailureThatLeavesThePathOpenKeepsIt() {
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		FakePath path = this.uds.paths.get(0);
		path.failure = new PathException(PathException.Reason.TIMEOUT, true, "too late", null);
		path.staysOpen = true;

		assertThatExceptionOfType(PathException.class)
			.isThrownBy(() -> this.channel.known(ADDRESS).calls().call(path, frame()));
		assertThat(path(this.channel, ADDRESS)).isSameAs(path);
		assertThat(pathOf(report(), "uds").errors()).isEqualTo(1);
	}

	@Test
	void aPathWithoutRoomIsNotLeft() {
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		FakePath path = this.uds.paths.get(0);
		path.failure = new PathException(PathException.Reason.EXHAUSTED, false, "all connections are in use", null);
		path.staysOpen = true;
		for (int i = 0; i < 1000; i++) {
			assertThatExceptionOfType(PathException.class)
				.isThrownBy(() -> this.channel.known(ADDRESS).calls().call(path, frame()));
			assertThat(path(this.channel, ADDRESS)).isSameAs(path);
		}
		assertThat(pathOf(report(), "uds").state()).isEqualTo("in use");
		assertThat(pathOf(report(), "uds").errors()).isZero();
	}

	@Test
	void anExceptionOfAPathIsCountedAsAnError() {
		for (FakeProvider provider : List.of(this.uds, this.direct)) {
			String address = provider.kind.id() + ":80";
			this.channel.peer(address)
				.announced(announcement(PeerIdentity.create(""), provider.kind), System.nanoTime());
			runConnector();
			FakePath path = provider.paths.get(0);
			path.bug = new IllegalStateException("a bug");
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.channel.known(address).calls().call(path, frame()));
			assertThat(this.channel.known(address).inFlight()).isZero();
			PeerReport report = this.channel.report()
				.peers()
				.stream()
				.filter((peer) -> peer.address().equals(address))
				.findFirst()
				.orElseThrow();
			assertThat(pathOf(report, provider.kind.id()).errors()).isOne();
		}
	}

	@Test
	void aRestartedPeerIsConnectedAnew() {
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		this.uds.paths.get(0).open = false;
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());

		assertThat(report().decisions().get(1).why()).contains("the peer was restarted");
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(1));
	}

	@Test
	void anInstanceThatOthersFollowIsLeftAtOnceAlthoughItsPathIsOpen() {
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		PeerIdentity successor = PeerIdentity.create("");
		this.channel.peer(ADDRESS).announced(announcement(successor, UDS), System.nanoTime());

		assertThat(this.uds.paths.get(0).open).isFalse();
		assertThat(path(this.channel, ADDRESS)).isNull();
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(1));
		assertThat(report().instanceId()).isEqualTo(successor.instanceId());
	}

	@Test
	void aSlowAnswerOfTheInstanceBeforeChangesNothing() {
		PeerIdentity first = PeerIdentity.create("");
		PeerIdentity second = PeerIdentity.create("");
		long now = System.nanoTime();
		this.channel.peer(ADDRESS).announced(announcement(first, UDS), now);
		runConnector();
		this.channel.peer(ADDRESS).announced(announcement(second, UDS), now + 2);
		runConnector();
		this.channel.peer(ADDRESS).announced(announcement(first, UDS), now + 1);

		assertThat(report().instanceId()).isEqualTo(second.instanceId());
		assertThat(path(this.channel, ADDRESS)).isNotNull();
	}

	@Test
	void aRollBackIsFollowed() {
		PeerIdentity blue = PeerIdentity.create("");
		PeerIdentity green = PeerIdentity.create("");
		for (PeerIdentity answering : List.of(blue, green, blue)) {
			this.channel.peer(ADDRESS).announced(announcement(answering, UDS), System.nanoTime());
			runConnector();
		}
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(2));
		assertThat(report().instanceId()).isEqualTo(blue.instanceId());
	}

	/** HTTP calls would reach all of them, whatever stands before them has in mind. */
	@Test
	void callsToSeveralInstancesBehindOneAddressGoOverHttp() {
		PeerIdentity first = PeerIdentity.create("");
		PeerIdentity second = PeerIdentity.create("");
		for (PeerIdentity answering : List.of(first, second, first, second)) {
			this.channel.peer(ADDRESS).announced(announcement(answering, UDS), System.nanoTime());
			runConnector();
		}
		assertThat(this.uds.paths).allSatisfy((path) -> assertThat(path.open).isFalse());
		assertThat(path(this.channel, ADDRESS)).isNull();
		assertThat(report().reason()).contains("several instances answer at this address");
	}

	@Test
	void oneCallInAWhileConfirmsTheInstance() {
		Channel confirming = new Channel(
				new ChannelSettings("shop", List.of(UDS), null, Duration.ofNanos(1), false, Duration.ofMillis(200)),
				this.contract, List.of(this.direct, this.uds), this.connecting::add, Clock.systemUTC());
		PeerAnnouncement announced = announcement(PeerIdentity.create(""), UDS);
		confirming.peer(ADDRESS).announced(announced, System.nanoTime());
		runConnector();
		assertThat(path(confirming, ADDRESS)).isNotNull();

		await().atMost(Duration.ofSeconds(5)).until(() -> path(confirming, ADDRESS) == null);
		assertThat(path(confirming, ADDRESS)).as("only one call").isNotNull();
		confirming.peer(ADDRESS).announced(announced, System.nanoTime());
		assertThat(path(confirming, ADDRESS)).isNotNull();
	}

	/** The connection of such a request is not used again. */
	@Test
	void aRequestOverHttpConfirmsOnceInAWhileAndOnlyBesidePaths() {
		Channel confirming = new Channel(
				new ChannelSettings("shop", List.of(UDS), null, Duration.ofNanos(1), false, Duration.ofMillis(200)),
				this.contract, List.of(this.direct, this.uds), this.connecting::add, Clock.systemUTC());
		assertThat(confirming.peer(ADDRESS).confirms()).as("an unknown peer").isFalse();
		confirming.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		long connected = System.nanoTime();
		await().during(Duration.ofMillis(150)).until(() -> !confirming.known(ADDRESS).confirms());
		runConnector();
		await().atMost(Duration.ofSeconds(5)).until(() -> confirming.known(ADDRESS).confirms());
		int more = 0;
		for (int i = 0; i < 1000; i++) {
			more += confirming.known(ADDRESS).confirms() ? 1 : 0;
		}
		long halves = Duration.ofNanos(System.nanoTime() - connected).dividedBy(Duration.ofMillis(100));
		assertThat(more).isLessThanOrEqualTo((int) halves);
		assertThat(confirming.peer("elsewhere:80").confirms()).isFalse();
	}

	@Test
	void aDirectCallInAWhileConfirmsTheInstance() {
		Channel confirming = new Channel(
				new ChannelSettings("shop", List.of(PathKind.DIRECT), null, Duration.ofNanos(1), false,
						Duration.ofMillis(200)),
				this.contract, List.of(this.direct, this.uds), this.connecting::add, Clock.systemUTC());
		confirming.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), PathKind.DIRECT), System.nanoTime());
		runConnector();
		assertThat(path(confirming, ADDRESS)).isNotNull();
		await().pollInterval(Duration.ofMillis(1))
			.atMost(Duration.ofSeconds(5))
			.until(() -> path(confirming, ADDRESS) == null);
		assertThat(path(confirming, ADDRESS)).isNotNull();
	}

	@Test
	void aMethodThatNeedsHttpIsLeftToItUntilTheNextAnnouncement() throws Exception {
		PeerAnnouncement announced = announcement(PeerIdentity.create(""), UDS).withTicket("0123456789abcdef");
		this.channel.clientHeaders(Map.of("x-tenant", "red"));
		this.channel.peer(ADDRESS).announced(announced, System.nanoTime());
		runConnector();
		assertThat(this.channel.known(ADDRESS).frameHeaders()).containsOnly(Map.entry("x-tenant", "red"),
				Map.entry(PeerAnnouncement.TICKET_HEADER, "0123456789abcdef"));
		CallPath path = path(this.channel, ADDRESS);
		this.uds.paths.get(0).staysOpen = true;
		this.uds.paths.get(0).failure = new PathException(PathException.Reason.HTTP_REQUIRED, false, "it has a filter",
				null);
		ContractMethod method = this.contract.methods().get(0);
		CallFrame frame = new CallFrame(this.contract, method, new Object[0], CallFrame.NO_DEADLINE, Map.of());
		assertThatExceptionOfType(PathException.class)
			.isThrownBy(() -> this.channel.known(ADDRESS).calls().call(Objects.requireNonNull(path), frame));

		assertThat(this.channel.known(ADDRESS).httpOnlyReason(method)).isEqualTo("it has a filter");
		assertThat(this.uds.paths.get(0).open).isTrue();
		this.channel.peer(ADDRESS).announced(announced.withTicket("fedcba9876543210"), System.nanoTime());
		assertThat(this.channel.known(ADDRESS).httpOnlyReason(method)).isNull();
		assertThat(this.channel.known(ADDRESS).frameHeaders()).containsEntry(PeerAnnouncement.TICKET_HEADER,
				"fedcba9876543210");
	}

	/** However long the delay between attempts at one instance is. */
	@Test
	void aPeerThatCrashesInALoopIsConnectedAfterItsSixtyFifthStartAsAfterItsFirst() {
		Channel patient = channel(Duration.ofHours(1), false);
		for (int start = 0; start < 67; start++) {
			PeerAnnouncement announced = announcement(PeerIdentity.create(""), UDS);
			long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
			while (this.uds.paths.size() == start && System.nanoTime() < deadline) {
				patient.peer(ADDRESS).announced(announced, System.nanoTime());
				runConnector();
			}
			assertThat(this.uds.paths).as("paths after start " + start).hasSize(start + 1);
			FakePath path = this.uds.paths.get(start);
			path.failure = new PathException(PathException.Reason.PEER_GONE, false, "crashed", null);
			assertThatExceptionOfType(PathException.class)
				.isThrownBy(() -> patient.known(ADDRESS).calls().call(path, frame()));
		}
	}

	/** More instances than are remembered take turns, and none can be connected. */
	@Test
	void attemptsAtManyInstancesThatTakeTurnsAreSpacedOut() {
		Channel patient = channel(Duration.ofHours(1), false);
		this.uds.attempt = new PathProvider.Unavailable("no directory", true);
		List<PeerAnnouncement> instances = Stream.generate(() -> announcement(PeerIdentity.create(""), UDS))
			.limit(200)
			.toList();
		int attempts = 0;
		for (int i = 0; i < 5; i++) {
			for (PeerAnnouncement instance : instances) {
				patient.peer(ADDRESS).announced(instance, System.nanoTime());
				attempts += this.connecting.size();
				runConnector();
			}
		}
		assertThat(attempts).isBetween(32, 80);
	}

	@Test
	void anInstanceThatIsGoneBeforeItsPathOpensIsLeftForTheNext() {
		this.uds.attempt = new PathProvider.Unavailable("gone", true);
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		this.uds.attempt = new PathProvider.Unavailable("unset", false);
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(0));
	}

	@Test
	void attemptsAtInstancesThatTakeTurnsAreSpacedOut() {
		Channel patient = channel(Duration.ofHours(1), false);
		this.uds.attempt = new PathProvider.Unavailable("no directory", true);
		PeerAnnouncement first = announcement(PeerIdentity.create(""), UDS);
		PeerAnnouncement second = announcement(PeerIdentity.create(""), UDS);
		patient.peer(ADDRESS).announced(first, System.nanoTime());
		runConnector();
		patient.peer(ADDRESS).announced(second, System.nanoTime());
		runConnector();
		for (int i = 0; i < 5; i++) {
			patient.peer(ADDRESS).announced(first, System.nanoTime());
			patient.peer(ADDRESS).announced(second, System.nanoTime());
			assertThat(this.connecting).isEmpty();
		}
	}

	@Test
	void anotherContractHashKeepsTheChannelOnHttp() {
		this.channel.peer(ADDRESS)
			.announced(new PeerAnnouncement(PeerIdentity.create(""), Set.of("uds"), "ffffffffffffffff", ""),
					System.nanoTime());
		assertThat(this.connecting).isEmpty();
		assertThat(report().reason()).contains("the contract differs")
			.contains(this.contract.hash())
			.contains("ffffffffffffffff");
	}

	@Test
	void aRefusalIsShown() {
		this.channel.peer(ADDRESS)
			.announced(new PeerAnnouncement(PeerIdentity.create(""), Set.of(), "", "a filter covers it"),
					System.nanoTime());
		assertThat(report().path()).isEqualTo("http");
		assertThat(report().reason()).contains("a filter covers it");
	}

	@Test
	void aPeerWithoutAnnouncementIsExplained() {
		this.channel.peer(ADDRESS).silent();
		overHttp(this.channel, 1000, 200, true);
		assertThat(report().reason()).contains("runs without Vicinal");
		assertThat(pathOf(report(), "http").calls()).isEqualTo(1);
		this.channel.peer(ADDRESS).ignored("it is garbage");
		assertThat(report().reason()).isEqualTo("it is garbage");
		assertThat(this.channel.ignoredAnnouncements()).isEqualTo(1);
	}

	@Test
	void attemptsThatFailAreSpacedOut() {
		Channel patient = channel(Duration.ofHours(1), false);
		this.uds.attempt = new PathProvider.Unavailable("no directory", true);
		PeerAnnouncement announcement = announcement(PeerIdentity.create(""), UDS);
		patient.peer(ADDRESS).announced(announcement, System.nanoTime());
		runConnector();
		patient.peer(ADDRESS).announced(announcement, System.nanoTime());
		assertThat(this.connecting).isEmpty();
		assertThat(patient.report().peers().get(0).reason()).contains("uds: no directory");
	}

	@Test
	void aProviderThatThrowsIsAReason() {
		this.uds.attempt = null;
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		assertThat(report().reason()).contains("failed with java.lang.IllegalStateException: broken provider");
	}

	@Test
	void anErrorOfAProviderIsAReasonAndNotTheLastAttempt() {
		this.uds.error = new OutOfMemoryError("unable to create native thread");
		PeerAnnouncement announcement = announcement(PeerIdentity.create(""), UDS);
		this.channel.peer(ADDRESS).announced(announcement, System.nanoTime());
		runConnector();
		assertThat(report().reason())
			.contains("failed with java.lang.OutOfMemoryError: unable to create native thread");
		this.uds.error = null;
		this.channel.peer(ADDRESS).announced(announcement, System.nanoTime());
		runConnector();
		assertThat(path(this.channel, ADDRESS)).isSameAs(this.uds.paths.get(0));
	}

	@Test
	void noThreadToConnectWithIsAReasonAndNotTheLastAttempt() {
		AtomicBoolean full = new AtomicBoolean(true);
		Channel limited = new Channel(new ChannelSettings("shop", List.of(UDS), null, Duration.ofNanos(1), false),
				this.contract, List.of(this.uds), (task) -> {
					if (full.getAndSet(false)) {
						throw new OutOfMemoryError("unable to create native thread");
					}
					task.run();
				}, Clock.systemUTC());
		PeerAnnouncement announcement = announcement(PeerIdentity.create(""), UDS);
		limited.peer(ADDRESS).announced(announcement, System.nanoTime());
		assertThat(limited.known(ADDRESS).reasonForHttp()).contains("unable to create native thread");
		limited.peer(ADDRESS).announced(announcement, System.nanoTime());
		assertThat(path(limited, ADDRESS)).isSameAs(this.uds.paths.get(0));
	}

	@Test
	void aSocketThatBecomesTheMoreExpensivePathIsLeftForHttp() throws PathException {
		Channel comparing = channel(Duration.ofNanos(1), true);
		comparing.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		FakePath slow = this.uds.paths.get(0);
		slow.busyNanos = 2_000_000;
		boolean left = false;
		for (int i = 0; i < 20_000 && !left; i++) {
			CallPath path = path(comparing, ADDRESS);
			if (path == null) {
				overHttp(comparing, 1000, 200, true);
				left = comparing.report().peers().get(0).path().equals("http");
			}
			else {
				slow.busyNanos = (i % 16 == 0) ? 2_000_000 : 200_000;
				comparing.known(ADDRESS).calls().call(path, frame());
			}
		}
		assertThat(left).isTrue();
		assertThat(comparing.report().peers().get(0).reason()).contains("measured to be cheaper");
	}

	private Channel comparingWithSocket() {
		Channel comparing = channel(Duration.ofNanos(1), true);
		comparing.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		return comparing;
	}

	private void overHttp(Channel channel, long nanos, int status, boolean comparable) {
		CallOverHttp call = callingOverHttp(channel, comparable);
		call.served(1);
		call.end(nanos, status, true);
	}

	private CallOverHttp callingOverHttp(Channel channel, boolean comparable) {
		return channel.peer(ADDRESS).callingOverHttp(this.contract.methods().get(0), new Object[0], comparable);
	}

	@Test
	void callsOverHttpAreALoadUntilTheyEnd() {
		Channel comparing = comparingWithSocket();
		CallOverHttp answered = callingOverHttp(comparing, true);
		CallOverHttp failed = callingOverHttp(comparing, true);
		CallOverHttp repeated = callingOverHttp(comparing, true);
		CallOverHttp onlyHttp = callingOverHttp(comparing, false);
		assertThat(comparing.known(ADDRESS).inFlight()).isEqualTo(3);
		answered.end(1000, 200, true);
		assertThat(comparing.known(ADDRESS).inFlight()).isEqualTo(2);
		failed.end(1000, 0, true);
		repeated.repeated();
		onlyHttp.end(1000, 200, true);
		assertThat(comparing.known(ADDRESS).inFlight()).isZero();
		assertThat(pathOf(comparing.report().peers().get(0), "http").calls()).isEqualTo(3);
	}

	@Test
	void aCallThatBeganBeforeThePeerWasRestartedEndsThere() {
		Channel comparing = comparingWithSocket();
		CallOverHttp before = callingOverHttp(comparing, true);
		this.uds.paths.get(0).open = false;
		comparing.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		CallOverHttp after = callingOverHttp(comparing, true);
		before.end(1000, 200, true);
		assertThat(comparing.known(ADDRESS).inFlight()).isEqualTo(1);
		after.end(1000, 200, true);
		assertThat(comparing.known(ADDRESS).inFlight()).isZero();
	}

	@Test
	void callsThatOnlyHttpCanCarryAreNotCompared() throws PathException {
		Channel comparing = comparingWithSocket();
		FakePath socket = this.uds.paths.get(0);
		socket.busyNanos = 20_000;
		for (int i = 0; i < 5_000; i++) {
			comparing.known(ADDRESS).calls().call(socket, frame());
			overHttp(comparing, 100, 200, false);
		}
		PeerReport report = comparing.report().peers().get(0);
		assertThat(report.path()).isEqualTo("uds");
		assertThat(report.decisions()).hasSize(1);
		assertThat(pathOf(report, "http").cost()).isNull();
		assertThat(pathOf(report, "http").calls()).isEqualTo(5_000);
	}

	@Test
	void fastRefusalsAreNotWhatThePathCosts() throws PathException {
		Channel comparing = comparingWithSocket();
		FakePath socket = this.uds.paths.get(0);
		for (int i = 0; i < 20; i++) {
			overHttp(comparing, 1_000_000, 200, true);
		}
		socket.status = 503;
		for (int i = 0; i < 2_000; i++) {
			comparing.known(ADDRESS).calls().call(socket, frame());
		}
		socket.status = 200;
		socket.busyNanos = 100_000;
		for (int i = 0; i < 100; i++) {
			comparing.known(ADDRESS).calls().call(socket, frame());
		}
		PeerReport report = comparing.report().peers().get(0);
		assertThat(report.decisions()).as("%s", report.decisions()).hasSize(1);
		assertThat(pathOf(report, "uds").cost()).isNotNull()
			.satisfies((cost) -> assertThat(cost.fixedMicros()).isGreaterThan(90));
	}

	@Test
	void aPathThatHangsIsLeftAndReturns() throws Exception {
		Channel comparing = comparingWithSocket();
		FakePath socket = this.uds.paths.get(0);
		for (int i = 0; i < 100; i++) {
			comparing.known(ADDRESS).calls().call(socket, frame());
		}
		CountDownLatch hangs = new CountDownLatch(1);
		socket.hangs = hangs;
		List<Thread> callers = new ArrayList<>();
		// A call that hangs at the channel's first check may have been overtaken.
		for (int i = 0; i < 2; i++) {
			Thread caller = new Thread(() -> {
				try {
					comparing.known(ADDRESS).calls().call(socket, frame());
				}
				catch (PathException ex) {
					throw new IllegalStateException(ex);
				}
			});
			caller.start();
			callers.add(caller);
			Awaitility.await().until(() -> caller.getState() == Thread.State.WAITING);
			long looks = System.nanoTime() + Duration.ofMillis(2 * PathSelector.LOOK_MILLIS).toNanos();
			Awaitility.await().until(() -> path(comparing, ADDRESS) == null || System.nanoTime() > looks);
		}
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(Duration.ofSeconds(10))
			.until(() -> path(comparing, ADDRESS) == null && comparing.report().peers().get(0).path().equals("http"));
		PeerReport report = comparing.report().peers().get(0);
		assertThat(report.path()).isEqualTo("http");
		assertThat(report.reason()).isEqualTo("calls over uds are not answered");
		assertThat(pathOf(report, "uds").state()).isEqualTo("late");
		hangs.countDown();
		for (Thread caller : callers) {
			caller.join();
		}
		Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(20)).until(() -> {
			CallPath next = path(comparing, ADDRESS);
			if (next != null) {
				comparing.known(ADDRESS).calls().call(next, frame());
			}
			return comparing.report().peers().get(0).path().equals("uds");
		});
	}

	@Test
	void aPathThatAnswersGarbageIsLeft() {
		Channel comparing = comparingWithSocket();
		FakePath socket = this.uds.paths.get(0);
		socket.staysOpen = true;
		socket.failure = new PathException(PathException.Reason.PROTOCOL, true, "garbage", null);
		for (int i = 0; i < 3; i++) {
			assertThat(path(comparing, ADDRESS)).isSameAs(socket);
			assertThatExceptionOfType(PathException.class)
				.isThrownBy(() -> comparing.known(ADDRESS).calls().call(socket, frame()));
		}
		assertThat(path(comparing, ADDRESS)).isNull();
		PeerReport report = comparing.report().peers().get(0);
		assertThat(report.reason()).startsWith("most calls over uds failed");
		assertThat(comparing.known(ADDRESS).reasonForHttp()).isEqualTo("most calls over uds failed");
		assertThat(pathOf(report, "uds").state()).isEqualTo("on trial");
	}

	@Test
	void pathsToAPeerThatIsGoneAreLeftAlthoughNobodyCallsIt() {
		this.channel.peer("shop:1").announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		this.channel.peer("shop:2").announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		FakePath gone = this.uds.paths.get(0);
		gone.open = false;
		this.channel.look(System.nanoTime() + Duration.ofSeconds(2).toNanos());
		assertThat(gone.closed).isTrue();
		assertThat(this.channel.known("shop:1").hasPath()).isFalse();
		assertThat(this.channel.known("shop:1").reasonForHttp()).isEqualTo("uds: the peer is gone");
		assertThat(this.uds.paths.get(1).closed).isFalse();
	}

	@Test
	void aPathThatWasRenewedSaysWhy() {
		this.channel.peer("shop:1").announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		FakePath first = this.uds.paths.get(0);
		first.renewal = "the SSL bundle was reloaded";
		first.open = false;
		this.channel.look(System.nanoTime() + Duration.ofSeconds(2).toNanos());
		assertThat(first.closed).isTrue();
		assertThat(this.channel.known("shop:1").reasonForHttp()).isEqualTo("uds: the SSL bundle was reloaded");
	}

	@Test
	void addressesThatNobodyNamesAnyMoreAreForgotten() {
		for (int port = 1; port <= 100; port++) {
			this.channel.peer("shop:" + port).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
			runConnector();
		}
		long now = System.nanoTime();
		for (int look = 1; look <= 310; look++) {
			path(this.channel, "shop:7");
			this.channel.look(now + Duration.ofSeconds(2L * look).toNanos());
			if (look == 290) {
				assertThat(this.channel.report().peers()).hasSize(100);
			}
		}
		assertThat(this.channel.report().peers()).extracting(PeerReport::address).containsExactly("shop:100", "shop:7");
		assertThat(this.uds.paths).filteredOn((path) -> !path.closed).hasSize(2);
	}

	@Test
	void ofManyPeersOnlyThoseThatAreNeededStay() {
		for (int port = 1; port <= 300; port++) {
			this.channel.peer("shop:" + port).announced(announcement(PeerIdentity.create("")), System.nanoTime());
		}
		long now = System.nanoTime();
		for (int look = 1; look <= 12; look++) {
			this.channel.look(now + Duration.ofSeconds(2L * look).toNanos());
		}
		assertThat(this.channel.report().peers()).extracting(PeerReport::address).containsExactly("shop:300");
	}

	/** An attempt may take as long as a handshake with a process that hangs. */
	@Test
	void callsDoNotWaitForThePathThatIsBeingConnected() throws Exception {
		this.direct.attempt = new PathProvider.Unavailable("hangs", true);
		Peer link = new Peer(this.channel, ADDRESS);
		link.announced(announcement(PeerIdentity.create(""), PathKind.DIRECT, UDS), System.nanoTime());
		runConnector();
		CallPath socket = this.uds.paths.get(0);
		assertThat(link.choose(0, false)).isSameAs(socket);
		assertThat(this.connecting).hasSize(1);
		synchronized (link) {
			assertThat(CompletableFuture.supplyAsync(() -> link.choose(0, false)).get(20, TimeUnit.SECONDS))
				.isSameAs(socket);
		}
	}

	@Test
	void closingClosesPaths() {
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		this.channel.close();
		assertThat(this.uds.paths.get(0).open).isFalse();
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		assertThat(this.connecting).isEmpty();
	}

	@Test
	void aRegistrationLetsPathsPrepareAndOpensNone() {
		this.channel.expect(ADDRESS,
				Map.of("vicinal-uds", "10.0.0.7:4711", "vicinal-toy", "10.0.0.7:4712", "zone", "z1"));
		assertThat(this.uds.prepared).as("on the thread of the call").isEmpty();
		runConnector();
		assertThat(this.uds.prepared).containsExactly("shop 10.0.0.7:4711");
		assertThat(this.direct.prepared).isEmpty();
		assertThat(this.uds.paths).isEmpty();
		assertThat(this.channel.known(ADDRESS)).isNull();
		assertThat(this.channel.report().peers()).isEmpty();
		this.channel.expect(ADDRESS, Map.of("vicinal-uds", "10.0.0.7:4711"));
		assertThat(this.connecting).as("once").isEmpty();
		this.channel.peer(ADDRESS).announced(announcement(PeerIdentity.create(""), UDS), System.nanoTime());
		runConnector();
		assertThat(this.uds.paths).hasSize(1);
		this.channel.expect(ADDRESS, Map.of("vicinal-uds", "10.0.0.7:4711"));
		assertThat(this.connecting).as("it is known").isEmpty();
	}

	@Test
	void aRegistrationThatNamesNoPathChangesNothing() {
		this.channel.expect(ADDRESS, Map.of());
		this.channel.expect(ADDRESS, Map.of("uds", "10.0.0.7:4711", "vicinal-", "x"));
		assertThat(this.connecting).isEmpty();
		this.channel.expect(ADDRESS, Map.of("vicinal-uds", "10.0.0.7:4711"));
		assertThat(this.connecting).hasSize(1);
	}

	@Test
	void aChannelThatStaysOnHttpPreparesNothing() {
		Channel http = new Channel(new ChannelSettings("shop", List.of(), null, Duration.ofSeconds(1), false),
				this.contract, List.of(this.uds), this.connecting::add, Clock.systemUTC());
		http.expect(ADDRESS, Map.of("vicinal-uds", "10.0.0.7:4711"));
		assertThat(this.connecting).isEmpty();
	}

	@Test
	void aProviderThatFailsToPrepareKeepsNoOther() {
		FakeProvider shm = new FakeProvider(SHM);
		shm.broken = true;
		Channel both = new Channel(new ChannelSettings("shop", List.of(SHM, UDS), null, Duration.ofSeconds(1), false),
				this.contract, List.of(shm, this.uds), this.connecting::add, Clock.systemUTC());
		both.expect("[::1]:80", Map.of("vicinal-shm", "x", "vicinal-uds", "y"));
		runConnector();
		assertThat(this.uds.prepared).containsExactly("[::1] y");
	}

	@Test
	void expectedPeersThatNeverAnswerTakeLittleMemory() {
		for (int i = 0; i < 2000; i++) {
			this.channel.expect("shop" + i + ":80", Map.of("vicinal-uds", "10.0.0.7:4711"));
		}
		assertThat(this.connecting).hasSize(1024);
		this.channel.peer("shop7:80");
		this.channel.expect("shop1999:80", Map.of("vicinal-uds", "10.0.0.7:4711"));
		assertThat(this.connecting).hasSize(1025);
	}

	private final class FakeProvider implements PathProvider {

		private final PathKind kind;

		private final List<FakePath> paths = new ArrayList<>();

		private final List<Contract> contracts = new ArrayList<>();

		private final List<String> prepared = new ArrayList<>();

		private boolean broken;

		private Attempt attempt = new Unavailable("unset", false);

		private @Nullable Error error;

		FakeProvider(PathKind kind) {
			this.kind = kind;
		}

		@Override
		public PathKind kind() {
			return this.kind;
		}

		@Override
		public void prepare(String host, String address) {
			if (this.broken) {
				throw new IllegalStateException("broken provider");
			}
			this.prepared.add(host + " " + address);
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			this.contracts.add(contract);
			if (this.error != null) {
				throw this.error;
			}
			if (this.attempt == null) {
				throw new IllegalStateException("broken provider");
			}
			if (this.attempt instanceof Unavailable unavailable && !unavailable.reason().equals("unset")) {
				return this.attempt;
			}
			FakePath path = new FakePath(this.kind);
			this.paths.add(path);
			return new Connected(path);
		}

		@Override
		public void close() {
			this.paths.forEach(FakePath::close);
		}

	}

	private final class FakePath implements CallPath {

		private final PathKind kind;

		private final CodecChoice codec;

		private boolean open = true;

		private boolean closed;

		private boolean staysOpen;

		private String renewal = "";

		private long busyNanos;

		private int status = 200;

		private volatile @Nullable CountDownLatch hangs;

		private PathException failure;

		private @Nullable RuntimeException bug;

		FakePath(PathKind kind) {
			this.kind = kind;
			Codecs codecs = new Codecs(new JsonMapper(), false);
			this.codec = codecs.choose(ChannelTests.this.contract, Set.of("jackson"));
		}

		@Override
		public PathKind kind() {
			return this.kind;
		}

		@Override
		public CodecChoice codec() {
			return this.codec;
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			if (this.failure != null) {
				this.open = this.staysOpen;
				throw this.failure;
			}
			if (this.bug != null) {
				throw this.bug;
			}
			CountDownLatch awaited = this.hangs;
			if (awaited != null) {
				try {
					awaited.await();
				}
				catch (InterruptedException ex) {
					throw new PathException(PathException.Reason.INTERRUPTED, true, "interrupted", ex);
				}
			}
			if (this.status != 200) {
				return new Reply.Failure(this.status, Map.of(), new byte[0], "");
			}
			long start = System.nanoTime();
			while (System.nanoTime() - start < this.busyNanos) {
				Thread.onSpinWait();
			}
			if (frame.isTimed()) {
				frame.served(1);
			}
			return new Reply.Value(200, Map.of(), "shop");
		}

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public String reasonToRenew() {
			return this.renewal;
		}

		@Override
		public long bytesCarried() {
			return 0;
		}

		@Override
		public void close() {
			this.open = false;
			this.closed = true;
		}

	}

}
