package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class SleepersTests {

	private static final int PUBLISHERS = 2;

	private static final int SUBSCRIBERS = 3;

	private static final int MESSAGES = 5_000;

	@TempDir
	private Path directory;

	private Sleepers open() throws Exception {
		return Sleepers.open(this.directory.resolve("sleepers"), this.directory);
	}

	@Test
	void anAnnouncementIsTakenOnceByAnyProcess() throws Exception {
		Sleepers subscriber = open();
		Sleepers publisher = open();
		assertThat(publisher.isAnnounced()).isFalse();
		subscriber.announce();
		subscriber.announce();
		assertThat(publisher.isAnnounced()).isTrue();
		publisher.take();
		assertThat(publisher.isAnnounced()).isFalse();
		assertThat(subscriber.isAnnounced()).isFalse();
	}

	/**
	 * Publishers wait until all have had their message, so that subscribers go to sleep
	 * all the time. One that slept through a ring would never wake up.
	 */
	@Test
	void nobodySleepsThroughAMessage() throws Exception {
		AtomicInteger appended = new AtomicInteger();
		List<Semaphore> bells = new ArrayList<>();
		List<AtomicInteger> read = new ArrayList<>();
		for (int i = 0; i < SUBSCRIBERS; i++) {
			bells.add(new Semaphore(0));
			read.add(new AtomicInteger());
		}
		int all = PUBLISHERS * MESSAGES;
		ExecutorService threads = Executors.newFixedThreadPool(PUBLISHERS + SUBSCRIBERS);
		try {
			List<Future<Boolean>> ended = new ArrayList<>();
			for (int i = 0; i < SUBSCRIBERS; i++) {
				ended.add(threads.submit(subscriber(appended, read.get(i), bells.get(i), all)));
			}
			for (int i = 0; i < PUBLISHERS; i++) {
				Sleepers sleepers = open();
				ended.add(threads.submit(() -> {
					for (int message = 0; message < MESSAGES; message++) {
						int number = appended.incrementAndGet();
						if (sleepers.isAnnounced()) {
							sleepers.take();
							bells.forEach(Semaphore::release);
						}
						while (read.stream().anyMatch((last) -> last.get() < number)) {
							if (Thread.interrupted()) {
								return false;
							}
							Thread.yield();
						}
					}
					return true;
				}));
			}
			for (Future<Boolean> end : ended) {
				assertThat(end.get(100, TimeUnit.SECONDS)).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private Callable<Boolean> subscriber(AtomicInteger appended, AtomicInteger read, Semaphore bell, int all)
			throws Exception {
		Sleepers sleepers = open();
		return () -> {
			while (read.get() < all) {
				read.set(appended.get());
				sleepers.announce();
				if (appended.get() == read.get() && read.get() < all) {
					bell.acquire();
				}
			}
			return true;
		};
	}

	@Test
	void theBellIsSilentWhileASubscriberIsBusy() throws Exception {
		TopicSettings<String> news = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		try (DurableFixture fixture = new DurableFixture(this.directory);
				ShmTopics bells = DurableFixture.bells(fixture.rendezvous(), "shop");
				ChronicleTopics shop = new ChronicleTopics(
						PeerIdentity.create(Rendezvous.open(fixture.rendezvous().toString()).hostId()), "shop",
						this.directory, JsonMapper.builder().build(), bells, DurableFixture.SMALL)) {
			Topic<String> topic = shop.topic(news);
			Semaphore first = new Semaphore(0);
			Semaphore goOn = new Semaphore(0);
			AtomicInteger handled = new AtomicInteger();
			fixture.application("reader").subscribe(news, SubscriberSettings.of("reader"), (message) -> {
				if (handled.incrementAndGet() == 1) {
					first.release();
					goOn.acquireUninterruptibly();
				}
			});
			topic.publish("first");
			first.acquire();
			for (int i = 0; i < 100; i++) {
				topic.publish("next");
			}
			assertThat(bells.topics()).filteredOn((report) -> report.topic().equals("news.bell"))
				.extracting(TopicReport::published)
				.singleElement()
				.satisfies((rings) -> assertThat(rings).isLessThanOrEqualTo(1));
			goOn.release();
			DurableFixture.await(() -> handled.get() == 101);
		}
	}

	/** Publishers whose bell reaches the sleepers would not ring otherwise. */
	@Test
	void aPublisherThatNobodyHearsLeavesTheAnnouncement() throws Exception {
		TopicSettings<String> news = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		try (DurableFixture fixture = new DurableFixture(this.directory)) {
			Topic<String> topic = fixture.application("shop").topic(news);
			Sleepers sleepers = Sleepers.open(this.directory.resolve("news/sleepers"), this.directory);
			sleepers.announce();
			topic.publish("text");
			assertThat(sleepers.isAnnounced()).isTrue();
		}
	}

}
