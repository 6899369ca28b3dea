package io.github.vicinal.chronicle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Clocks of a host that are set while a queue is in use. Files begin by them. */
@Timeout(60)
class ClockJumpTests {

	private static final ChronicleOptions HOURLY = new ChronicleOptions(RollInterval.HOUR, 64 << 20, Duration.ofDays(1),
			0, 1 << 20, Duration.ofSeconds(1), false);

	private static final long HOUR = Duration.ofHours(1).toMillis();

	/** Just after a full hour. */
	private final AtomicLong clock = new AtomicLong(Instant.parse("2026-01-01T12:00:01Z").toEpochMilli());

	@TempDir
	private Path directory;

	private Alive alive;

	@BeforeEach
	void live() throws Exception {
		this.alive = Alive.open(this.directory);
	}

	@AfterEach
	void end() {
		this.alive.close();
	}

	private DurableLog open() {
		try {
			return DurableLog.open(this.directory.resolve("queue"), HOURLY,
					ProcessLock.open(this.directory.resolve("publishing"), this.directory, this.alive),
					this.clock::get);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static long append(DurableLog log, DurableLog.Tail tail, String text) {
		log.append(text.getBytes(StandardCharsets.UTF_8));
		DurableLog.Entry entry = tail.next();
		assertThat(text(entry)).isEqualTo(text);
		return (entry != null) ? entry.index() : 0;
	}

	private static @Nullable String text(DurableLog.@Nullable Entry entry) {
		return (entry != null) ? new String(entry.bytes(), StandardCharsets.UTF_8) : null;
	}

	/**
	 * The file of the hour before may be there, and is closed then.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aClockThatIsSetBackLosesNoMessage(boolean before) {
		try (DurableLog log = open(); DurableLog.Tail tail = log.tail()) {
			if (before) {
				this.clock.addAndGet(-HOUR);
				append(log, tail, "an hour before");
				this.clock.addAndGet(HOUR);
			}
			long first = append(log, tail, "first");
			this.clock.addAndGet(-Duration.ofSeconds(3).toMillis());
			long second = append(log, tail, "after the clock was set back");
			assertThat(second).isGreaterThan(first);
			this.clock.addAndGet(2 * HOUR);
			long third = append(log, tail, "two hours later");
			assertThat(log.cycle(third)).as("files begin again").isGreaterThan(log.cycle(second));
		}
	}

	@Test
	void aProcessThatStartsAfterTheClockWasSetBackGoesOnBehindTheLastMessage() {
		try (DurableLog log = open(); DurableLog.Tail tail = log.tail()) {
			append(log, tail, "first");
			this.clock.addAndGet(-3 * HOUR);
			try (DurableLog later = open(); DurableLog.Tail all = later.tail()) {
				append(later, tail, "second");
				append(log, tail, "third");
				append(later, tail, "fourth");
				assertThat(text(all.next())).isEqualTo("first");
				assertThat(text(all.next())).isEqualTo("second");
				assertThat(text(all.next())).isEqualTo("third");
				assertThat(text(all.next())).isEqualTo("fourth");
			}
		}
	}

	@Test
	void filesBeginAlsoAfterAClockWasWrongForAMoment() {
		try (DurableLog log = open(); DurableLog.Tail tail = log.tail()) {
			append(log, tail, "first");
			long wrong = Duration.ofDays(30).toMillis();
			this.clock.addAndGet(wrong);
			append(log, tail, "a month ahead");
			this.clock.addAndGet(-wrong);
			long third = append(log, tail, "right again");
			this.clock.addAndGet(HOUR);
			long fourth = append(log, tail, "an hour later");
			assertThat(log.cycle(fourth)).isEqualTo(log.cycle(third) + 1);
		}
	}

}
