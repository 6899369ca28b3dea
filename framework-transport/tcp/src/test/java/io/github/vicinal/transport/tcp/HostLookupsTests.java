package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Names that a name server does not answer for. */
@Timeout(60)
class HostLookupsTests {

	private static final long FOREVER = Duration.ofHours(1).toNanos();

	private final CountDownLatch answered = new CountDownLatch(1);

	/** Names that were looked up. */
	private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

	private final BlockingQueue<Set<InetAddress>> found = new LinkedBlockingQueue<>();

	private final HostLookups lookups = new HostLookups(this::addresses, FOREVER);

	@AfterEach
	void close() {
		this.answered.countDown();
		this.lookups.close();
	}

	/** Names that begin with "hang" are answered late. */
	private InetAddress[] addresses(String host) throws UnknownHostException {
		this.asked.add(host);
		if (host.startsWith("hang")) {
			try {
				this.answered.await();
			}
			catch (InterruptedException ex) {
				throw new UnknownHostException("interrupted");
			}
		}
		if (host.startsWith("none")) {
			throw new UnknownHostException(host);
		}
		return new InetAddress[] { InetAddress.getByAddress(host, new byte[] { 10, 0, 0, 7 }) };
	}

	private Set<InetAddress> found() throws InterruptedException {
		return this.found.poll(20, TimeUnit.SECONDS);
	}

	@Test
	void anAddressIsFoundAtOnceAndNotLookedUp() throws Exception {
		for (String address : new String[] { "127.0.0.1", "::1", "[::1]" }) {
			this.lookups.find(address, "one", this.found::add);
			assertThat(this.found.poll()).containsExactly(InetAddress.getByName(address));
		}
		assertThat(this.asked).isEmpty();
	}

	@Test
	void aNameThatHangsKeepsNeitherItsCallerNorOtherNames() throws Exception {
		this.lookups.find("hang.example", "one", this.found::add);
		assertThat(this.asked.poll(20, TimeUnit.SECONDS)).isEqualTo("hang.example");
		for (int i = 0; i < 100; i++) {
			// Asked for again it would take the other thread, too.
			this.lookups.find("hang.example", "one", this.found::add);
			String name = "host" + i + ".example";
			this.lookups.find(name, "one", this.found::add);
			assertThat(found()).hasSize(1);
			assertThat(this.asked.poll()).isEqualTo(name);
		}
		assertThat(this.asked).isEmpty();
		this.answered.countDown();
		assertThat(found()).hasSize(1);
	}

	@Test
	void allInstancesWithANameThatHangsAreFoundWithOneLookUp() throws Exception {
		this.lookups.find("hang.example", "one", this.found::add);
		assertThat(this.asked.poll(20, TimeUnit.SECONDS)).isEqualTo("hang.example");
		this.lookups.find("hang.example", "another", this.found::add);
		this.lookups.find("hang.example", "one", this.found::add);
		for (int i = 0; i < 10 * HostLookups.MAX_WAITING; i++) {
			this.lookups.find("hang.example", i, this.found::add);
		}
		this.answered.countDown();
		for (int i = 0; i < HostLookups.MAX_WAITING; i++) {
			assertThat(found()).hasSize(1);
		}
		assertThat(this.asked).isEmpty();
		this.lookups.find("host.example", "one", (addresses) -> this.found.add(Set.of()));
		assertThat(found()).as("what follows the last of them").isEmpty();
	}

	@Test
	void whileAllThreadsHangFewNamesWaitAndTheOthersAreLeftOut() throws Exception {
		for (int i = 0; i < HostLookups.MAX_THREADS; i++) {
			this.lookups.find("hang" + i, "one", this.found::add);
			assertThat(this.asked.poll(20, TimeUnit.SECONDS)).isEqualTo("hang" + i);
		}
		for (int i = 0; i < 10 * HostLookups.MAX_WAITING; i++) {
			this.lookups.find("host" + i, "one", this.found::add);
		}
		assertThat(this.asked).isEmpty();
		this.answered.countDown();
		int all = HostLookups.MAX_THREADS + HostLookups.MAX_WAITING;
		for (int i = 0; i < all; i++) {
			assertThat(found()).hasSize(1);
		}
		assertThat(this.asked).hasSize(HostLookups.MAX_WAITING);
		// A name that was left out is looked up the next time.
		await().untilAsserted(() -> {
			this.lookups.find("host" + (10 * HostLookups.MAX_WAITING - 1), "one", this.found::add);
			assertThat(this.found.poll(1, TimeUnit.SECONDS)).hasSize(1);
		});
	}

	@Test
	void whatIsFoundLateIsNotPassedOn() throws Exception {
		AtomicInteger count = new AtomicInteger();
		HostLookups hasty = new HostLookups(this::addresses, Duration.ofMillis(50).toNanos());
		try {
			hasty.find("hang.example", "one", (addresses) -> count.incrementAndGet());
			assertThat(this.asked.poll(20, TimeUnit.SECONDS)).isEqualTo("hang.example");
			long until = System.nanoTime() + Duration.ofMillis(50).toNanos();
			await().until(() -> System.nanoTime() - until > 0);
			this.answered.countDown();
			// Looked up again once the first look-up has ended.
			await().until(() -> {
				hasty.find("hang.example", "one", (addresses) -> count.addAndGet(100));
				return this.asked.poll() != null;
			});
			assertThat(count.get() % 100).isZero();
		}
		finally {
			hasty.close();
		}
	}

	@Test
	void aNameThatLeadsNowhereIsForgotten() throws Exception {
		for (int i = 0; i < 3; i++) {
			await().until(() -> {
				this.lookups.find("none.example", "one", this.found::add);
				return this.asked.poll(10, TimeUnit.MILLISECONDS) != null;
			});
		}
		this.lookups.find("host.example", "one", this.found::add);
		assertThat(found()).hasSize(1);
	}

	@Test
	void afterTheEndNothingIsLookedUp() {
		this.lookups.close();
		this.lookups.find("host.example", "one", this.found::add);
		this.lookups.find("host.example", "one", this.found::add);
		assertThat(this.asked).isEmpty();
	}

}
