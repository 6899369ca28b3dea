package io.github.vicinal.boot.client;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathKind.Reach;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Which paths may stand in for requests. */
class RouteRulesTests {

	private static final PathKind UDS = new PathKind("uds", 200, Reach.SAME_HOST);

	private static final PathKind TCP = new PathKind("tcp", 500, Reach.NETWORK);

	private static PeerAnnouncement announcement(String arrival, String origin) {
		return new PeerAnnouncement(PeerIdentity.create(""), Set.of("tcp"), "", "").withArrival(arrival)
			.withOrigin(origin);
	}

	private static @Nullable String forbidden(String url, PathKind kind, PathProtection protection) {
		return RouteRules.defaults()
			.of(URI.create(url))
			.forbids(kind, protection, announcement("127.0.0.1:8080", "127.0.0.1"));
	}

	@ParameterizedTest
	@EnumSource(PathProtection.class)
	void forHttpEachProtectionWillDo(PathProtection protection) {
		assertThat(forbidden("http://127.0.0.1:8080/", UDS, protection)).isNull();
		assertThat(forbidden("http://127.0.0.1:8080/", TCP, protection)).isNull();
	}

	@Test
	void forHttpsOnlyTlsWithCertificatesOnBothSidesWillDo() {
		assertThat(forbidden("https://127.0.0.1:8080/", TCP, PathProtection.MUTUAL_TLS)).isNull();
		assertThat(forbidden("https://127.0.0.1:8080/", TCP, PathProtection.NONE)).contains("https")
			.contains("certificates are verified on both sides");
		assertThat(forbidden("HTTPS://127.0.0.1:8080/", TCP, PathProtection.NONE)).isNotNull();
		assertThat(forbidden("https://127.0.0.1:8080/", UDS, PathProtection.SAME_USER))
			.contains("set vicinal.https.local-paths=true");
	}

	@Test
	void localPathsStandInForHttpsWhereThatIsConfigured() {
		PathRule rule = new RouteRules(true, false).of(URI.create("https://127.0.0.1:8080/"));
		assertThat(rule.forbids(UDS, PathProtection.SAME_USER, announcement("", ""))).isNull();
		assertThat(rule.forbids(UDS, PathProtection.NONE, announcement("", ""))).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1:8080, 127.0.0.1, ''", "127.0.0.1:9090, 127.0.0.1, arrive at 127.0.0.1:9090",
			"10.1.2.3:8080, 127.0.0.1, arrive at 10.1.2.3:8080", "'', 127.0.0.1, does not say",
			"127.0.0.1:8080, '', does not say",
			"127.0.0.1:8080, 203.0.113.9, 'arrive from 203.0.113.9, which is no address of this client'",
			"127.0.0.1:8080, face, face is no IP address" })
	void somethingBetweenIsNoticed(String arrival, String origin, String reason) {
		PathRule rule = RouteRules.defaults().of(URI.create("http://127.0.0.1:8080/"));
		PeerAnnouncement announcement = announcement(arrival, origin);
		String forbidden = rule.forbids(TCP, PathProtection.MUTUAL_TLS, announcement);
		if (reason.isEmpty()) {
			assertThat(forbidden).isNull();
		}
		else {
			assertThat(forbidden).contains(reason).contains("set vicinal.network.past-intermediaries=true");
		}
		assertThat(rule.forbids(UDS, PathProtection.SAME_USER, announcement)).isNull();
		assertThat(new RouteRules(false, true).of(URI.create("http://127.0.0.1:8080/"))
			.forbids(TCP, PathProtection.MUTUAL_TLS, announcement)).isNull();
	}

	/** A sidecar takes requests and sends them on over the loopback interface. */
	@Test
	void aLoopbackAddressOfTheSenderIsThatOfASidecarIfTheReceiverHasAnother() throws Exception {
		InetAddress outer = NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
			.findFirst()
			.orElse(null);
		String address = (outer != null) ? outer.getHostAddress().split("%", 2)[0] : "192.0.2.7";
		String host = (address.indexOf(':') >= 0) ? "[" + address + "]" : address;
		PathRule rule = RouteRules.defaults().of(URI.create("http://" + host + ":8080/"));
		assertThat(rule.forbids(TCP, PathProtection.NONE, announcement(address + ":8080", "127.0.0.6")))
			.contains("arrive from 127.0.0.6");
		if (outer != null) {
			assertThat(rule.forbids(TCP, PathProtection.NONE, announcement(address + ":8080", address))).isNull();
		}
	}

	/** Otherwise it would keep the threads that connect paths to other peers. */
	@Test
	@Timeout(60)
	void aNameThatIsNotLookedUpInTimeKeepsNoThreadAndAllowsNothing() throws Exception {
		CountDownLatch answered = new CountDownLatch(1);
		Set<Thread> hanging = ConcurrentHashMap.newKeySet();
		NameLookups lookups = new NameLookups((host) -> {
			if (host.startsWith("hang")) {
				hanging.add(Thread.currentThread());
				try {
					answered.await();
				}
				catch (InterruptedException ex) {
					throw new UnknownHostException("interrupted");
				}
			}
			return new InetAddress[] { InetAddress.getLoopbackAddress() };
		}, Duration.ofMillis(200));
		RouteRules rules = new RouteRules(false, false, lookups);
		PeerAnnouncement announcement = announcement("127.0.0.1:8080", "127.0.0.1");
		try {
			List<CompletableFuture<String>> reasons = new ArrayList<>();
			for (int i = 0; i < NameLookups.MAX_THREADS + NameLookups.MAX_WAITING; i++) {
				String host = "hang" + i;
				reasons.add(CompletableFuture.supplyAsync(() -> forbidden(rules, host, announcement),
						(task) -> new Thread(task).start()));
				if (i == 0) {
					await().until(() -> !hanging.isEmpty());
					await().until(() -> forbidden(rules, "other", announcement) == null);
				}
			}
			for (CompletableFuture<String> reason : reasons) {
				assertThat(reason.get(20, TimeUnit.SECONDS)).contains("the name hang")
					.contains("was not looked up within 200 ms");
			}
			assertThat(forbidden(rules, "hang", announcement)).contains("many others hang");
			assertThat(hanging).hasSize(NameLookups.MAX_THREADS).doesNotContain(Thread.currentThread());
		}
		finally {
			answered.countDown();
		}
		await().until(() -> forbidden(rules, "other", announcement) == null);
		await().until(() -> forbidden(rules, "hang1", announcement) == null);
	}

	private static @Nullable String forbidden(RouteRules rules, String host, PeerAnnouncement announcement) {
		return rules.of(URI.create("http://" + host + ":8080/")).forbids(TCP, PathProtection.NONE, announcement);
	}

	@Test
	void aNameThatNobodyKnowsIsExplained() {
		RouteRules rules = new RouteRules(false, false, new NameLookups((host) -> {
			throw new UnknownHostException(host + ": Name or service not known");
		}, Duration.ofSeconds(20)));
		assertThat(forbidden(rules, "nobody", announcement("127.0.0.1:8080", "127.0.0.1")))
			.contains("it cannot be found out whether something between sends requests on")
			.contains("nobody: Name or service not known");
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://localhost:8080", "https://127.0.0.1:8080", "http://127.0.0.1:8081" })
	void rulesOfOtherAddressesDiffer(String other) {
		RouteRules rules = RouteRules.defaults();
		assertThat(rules.of(URI.create("http://127.0.0.1:8080/a")))
			.isEqualTo(rules.of(URI.create("http://127.0.0.1:8080/b")))
			.isNotEqualTo(rules.of(URI.create(other)));
	}

}
