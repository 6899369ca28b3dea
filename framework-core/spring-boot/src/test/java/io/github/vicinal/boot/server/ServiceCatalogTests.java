package io.github.vicinal.boot.server;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.uds.UdsPathProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Paths and announcements at the end of an application. */
@Timeout(60)
class ServiceCatalogTests {

	private static final String CONTRACT = Baskets.class.getName();

	private final FakeServer first = new FakeServer(ShmPathProvider.KIND);

	private final FakeServer second = new FakeServer(UdsPathProvider.KIND);

	private volatile PeerIdentity identity = PeerIdentity.create("");

	/** Announcements that were made and not remembered. */
	private final AtomicInteger made = new AtomicInteger();

	private final ServiceCatalog catalog = catalog();

	private ServiceCatalog catalog() {
		ServiceRegistry registry = new ServiceRegistry();
		return new ServiceCatalog(this::identity, (name) -> name.equals(CONTRACT) ? new FakeService() : null,
				() -> registry, () -> new OfferedPaths(List.of(this.first, this.second), List.of("direct")),
				new ConnectionTickets());
	}

	private PeerIdentity identity() {
		this.made.incrementAndGet();
		return this.identity;
	}

	private @Nullable String announcement() {
		return announcement(this.catalog, CONTRACT);
	}

	private @Nullable String announcement(String scheme) {
		return announcement(this.catalog, CONTRACT, scheme);
	}

	private static @Nullable String announcement(ServiceCatalog catalog, String contract) {
		return announcement(catalog, contract, "http");
	}

	private static @Nullable String announcement(ServiceCatalog catalog, String contract, String scheme) {
		ConnectionFacts facts = new ConnectionFacts(scheme, "127.0.0.1", "127.0.0.1", "localhost", 8080, Set.of(),
				Map.of("host", List.of("localhost:8080")));
		Method handler = ClassUtils.getMethod(Object.class, "toString");
		return catalog.announcement(new Inquiry(contract, facts, "", new RequestWatch()),
				new HandlerMethod(new Object(), handler), null);
	}

	@Test
	void allPathsStopAtOnceAndAnnouncementsAreAnsweredWhileCallsEnd() throws Exception {
		assertThat(announcement()).contains("shm", "uds");
		CountDownLatch calls = new CountDownLatch(1);
		this.first.inFlight = calls;
		Thread closing = new Thread(() -> this.catalog.close(Duration.ofSeconds(30)));
		closing.start();
		await().until(() -> this.first.closedWithin != null);
		assertThat(this.second.stopped).isTrue();
		assertThat(announcement()).contains("shutting").doesNotContain("uds");
		assertThat(this.catalog.unavailable()).containsKeys("shm", "uds");
		assertThat(this.catalog.clients()).isEmpty();
		calls.countDown();
		closing.join();
		assertThat(List.of(this.first.closedWithin, this.second.closedWithin)).as("what is left of the time for all")
			.allSatisfy((left) -> assertThat(left).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30)));
	}

	/** Calls may go on while the beans of the application are destroyed. */
	@Test
	void beansThatAreNeededLaterAreAskedForBeforeCallsEnd() {
		assertThat(announcement()).contains("shm", "uds");
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			List<@Nullable Duration> closed = new ArrayList<>();
			ServerLifecycle lifecycle = new ServerLifecycle(context, () -> List.of(this.catalog), () -> {
				closed.add(this.second.closedWithin);
				return null;
			}, Duration.ofSeconds(1));
			lifecycle.onApplicationEvent(new ContextClosedEvent(context));
			lifecycle.stop();
			assertThat(closed).containsExactly((Duration) null);
			assertThat(this.second.closedWithin).isNotNull();
		}
	}

	/** Its directory may have been taken by another user, or made anew. */
	@Test
	void changesAreAnnouncedToTheNextClient() {
		assertThat(announcement()).contains("p=shm,uds");
		this.first.stopped = true;
		await().untilAsserted(() -> assertThat(announcement()).contains("p=uds"));
		this.first.stopped = false;
		String host = "0123456789abcdef0123456789abcdef";
		this.identity = this.identity.on(host);
		await().untilAsserted(() -> assertThat(announcement()).contains("p=shm,uds", host));
	}

	/** A server that has lost its device may listen elsewhere, without being seen to. */
	@Test
	void aChangedAddressIsAnnouncedToTheNextClient() {
		this.first.address = "127.0.0.1:10000";
		assertThat(announcement()).contains("e=shm@127.0.0.1:10000");
		this.first.address = "127.0.0.1:10002";
		await().untilAsserted(() -> assertThat(announcement()).contains("e=shm@127.0.0.1:10002"));
	}

	@Test
	void clientsThatComeByTlsAreOfferedWhatIsProtectedAsWell() {
		assertThat(announcement("https")).contains("p=;").contains("the client comes by TLS");
		this.second.protection = PathProtection.SAME_USER;
		assertThat(announcement("https")).contains("p=;").contains("vicinal.https.local-paths=true");
		this.first.protection = PathProtection.MUTUAL_TLS;
		assertThat(announcement("https")).contains("p=shm;");
		assertThat(announcement("http")).contains("p=shm,uds;");
	}

	@Test
	void aNetworkPathComesWithTheWayOfTheRequest() {
		assertThat(announcement()).doesNotContain("a=127").doesNotContain("f=127");
		this.first.kind = new PathKind(this.first.kind.id(), 150, PathKind.Reach.NETWORK);
		assertThat(announcement()).contains("; a=127.0.0.1:8080; f=127.0.0.1; ");
	}

	/** Strangers may ask for any combination of methods. */
	@Test
	void interfacesOfClientsAreLimited() {
		ServiceRegistry registry = new ServiceRegistry();
		ServiceCatalog catalog = new ServiceCatalog(this::identity, new ByStructure(), () -> registry,
				() -> new OfferedPaths(List.of(this.first, this.second), List.of()), new ConnectionTickets());
		assertThat(announcement(catalog, "shop.Own")).contains("no controller implements the contract")
			.doesNotContain("structure");
		assertThat(announcement(catalog, "shop.Own; call=0; at=; methods=-"))
			.contains("no handler has the structure of its methods");
		for (int i = 0; i < 200; i++) {
			assertThat(announcement(catalog, asked(i))).contains("p=shm,uds;");
		}
		assertThat(announcement(catalog, asked(200))).contains("p=;", "no handler has the structure of its methods");
		assertThat(announcement(catalog, asked(7))).contains("p=shm,uds;");
		assertThat(registry.services()).hasSize(200);
	}

	private static String asked(int number) {
		return "shop.Own; call=0; at=; methods=%016x".formatted(number);
	}

	private static final class ByStructure implements ServiceCatalog.ServiceSource {

		@Override
		public @Nullable Service find(String contractName) {
			return null;
		}

		@Override
		public @Nullable Service find(ContractInquiry.Structure structure) {
			return structure.methods().contains(ContractInquiry.Structure.NONE) ? null : new FakeService() {

				private final Contract contract = Contract.structural(FakeService.class,
						ExchangeContractReader.contract(Baskets.class).methods(), structure.hash());

				@Override
				public Contract contract() {
					return this.contract;
				}

			};
		}

	}

	@Test
	void namesOfStrangersDoNotKeepContractsFromBeingRemembered() {
		for (int i = 0; i < 2_000; i++) {
			announcement(this.catalog, "stranger." + i);
		}
		announcement();
		int before = this.made.get();
		announcement();
		announcement(this.catalog, "stranger.0");
		assertThat(this.made).hasValue(before);
		announcement(this.catalog, "stranger.1999");
		assertThat(this.made).hasValue(before + 1);
	}

	@Test
	void aPathThatCannotBeStartedDoesNotKeepTheOthers() {
		this.first.broken = true;
		this.first.stopped = true;
		assertThat(announcement()).contains("p=uds");
		assertThat(this.catalog.unavailable()).containsOnlyKeys("shm");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			the rendezvous directory /home/ann/run is on ext4, not on a tmpfs | no-tmpfs
			/run/user/1000/vicinal belongs to the user 1001                   | unsafe-directory
			the directory /srv/x cannot be used or created                    | no-directory
			the path /very/long is too long                                   | long-path
			/dev/shm/a: No space left on device                               | no-room
			the server is closed                                              | closing
			java.lang.IllegalStateException: com.acme.Broken                  | failed
			""")
	void aMissingPathIsOneWordWithoutTheServersDetails(String reason, String word) {
		this.first.reason = reason;
		this.first.stopped = true;
		assertThat(announcement()).contains("p=uds; ")
			.contains("n=direct:not-configured,shm:" + word)
			.doesNotContain("/", "1001", "Exception");
	}

	@Test
	void aRequestIsAnsweredAlthoughItsContractCannotBeOffered() {
		ServiceCatalog failing = new ServiceCatalog(this::identity, (name) -> {
			throw new NoClassDefFoundError(name);
		}, ServiceRegistry::new, () -> new OfferedPaths(List.of(), List.of()), new ConnectionTickets());
		assertThat(announcement(failing, CONTRACT)).contains("p=;", "the contract could not be offered")
			.doesNotContain("NoClassDefFoundError");
	}

	@Test
	void aPathThatCannotBeEndedDoesNotKeepTheOthers() {
		announcement();
		this.first.broken = true;
		this.catalog.close(Duration.ofSeconds(5));
		assertThat(this.first.stopped).isFalse();
		assertThat(this.second.stopped).isTrue();
		assertThat(this.second.closedWithin).isNotNull();
	}

	@Test
	void pathsEndInTheirPhaseWithoutARequestServer() {
		announcement();
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.refresh();
			ServerLifecycle lifecycle = new ServerLifecycle(context, () -> List.of(this.catalog), () -> null,
					Duration.ofSeconds(7));
			lifecycle.start();
			lifecycle.stop();
			assertThat(this.first.stopped).isFalse();
			lifecycle.start();
			lifecycle.onApplicationEvent(new ContextClosedEvent(context));
			lifecycle.stop();
		}
		assertThat(this.first.closedWithin).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
		assertThat(this.second.closedWithin).isNotNull();
	}

	private static final class FakeServer implements PathServer {

		private volatile PathKind kind;

		private volatile CountDownLatch inFlight = new CountDownLatch(0);

		private volatile boolean stopped;

		private volatile boolean broken;

		private volatile String reason = "the server is closed";

		private volatile @Nullable Duration closedWithin;

		private volatile @Nullable String address;

		private volatile PathProtection protection = PathProtection.NONE;

		FakeServer(PathKind kind) {
			this.kind = kind;
		}

		@Override
		public PathKind kind() {
			return this.kind;
		}

		@Override
		public void start() {
			if (this.broken) {
				throw new OutOfMemoryError("unable to create native thread, as the test wants it");
			}
		}

		@Override
		public Optional<String> address() {
			return Optional.ofNullable(this.address);
		}

		@Override
		public PathProtection protection() {
			return this.protection;
		}

		@Override
		public Optional<String> unavailable() {
			return this.stopped ? Optional.of(this.reason) : Optional.empty();
		}

		@Override
		public void stopAccepting() {
			if (this.broken) {
				throw new OutOfMemoryError("unable to create native thread, as the test wants it");
			}
			this.stopped = true;
		}

		@Override
		public void close(Duration drainTimeout) {
			if (this.broken) {
				throw new IllegalStateException("broken");
			}
			this.closedWithin = drainTimeout;
			try {
				this.inFlight.await(30, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void close() {
			// It has no time of its own here.
			this.closedWithin = Duration.ofDays(1);
		}

	}

	private static class FakeService implements Service {

		@Override
		public Contract contract() {
			return ExchangeContractReader.contract(Baskets.class);
		}

		@Override
		public Optional<String> refusal() {
			return Optional.empty();
		}

		@Override
		public Codecs codecs() {
			return new Codecs(new JsonMapper(), false);
		}

		@Override
		public Reply invoke(CallFrame frame) {
			return new Reply.Value(200, java.util.Map.of(), null);
		}

	}

}
