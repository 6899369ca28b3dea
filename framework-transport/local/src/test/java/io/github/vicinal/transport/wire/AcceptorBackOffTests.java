package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class AcceptorBackOffTests {

	private static final IOException NO_FILES = new IOException("Too many open files");

	private final Logger logger = (Logger) LoggerFactory.getLogger(AcceptorBackOffTests.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final AcceptorBackOff backOff = new AcceptorBackOff(this.logger);

	/** Clocks may be negative. */
	private long now = -TimeUnit.MINUTES.toNanos(2);

	@BeforeEach
	void listen() {
		this.logger.setLevel(Level.WARN);
		this.logger.setAdditive(false);
		this.logger.addAppender(this.lines);
		this.lines.start();
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.lines);
	}

	private long pauseMillis() {
		long pause = this.backOff.failed(NO_FILES, this.now);
		this.now += pause;
		return TimeUnit.NANOSECONDS.toMillis(pause);
	}

	@Test
	void pausesDoubleUpToASecondUntilAConnectionIsAccepted() {
		assertThat(
				new long[] { pauseMillis(), pauseMillis(), pauseMillis(), pauseMillis(), pauseMillis(), pauseMillis() })
			.containsExactly(100, 200, 400, 800, 1000, 1000);
		this.backOff.accepted();
		assertThat(pauseMillis()).isEqualTo(100);
	}

	@Test
	void oneLineAMinuteSaysHowMany() {
		long end = this.now + TimeUnit.MINUTES.toNanos(3);
		int failures = 0;
		while (this.now < end) {
			pauseMillis();
			failures++;
		}
		assertThat(failures).isBetween(180, 190);
		assertThat(this.lines.list).hasSize(3);
		assertThat(this.lines.list.get(0).getFormattedMessage()).startsWith("A connection could not be accepted")
			.contains("Too many open files", "raise the limit of open files");
		assertThat(this.lines.list.get(1).getFormattedMessage()).startsWith("63 attempts")
			.contains("raise the limit of open files");
		assertThat(this.lines.list.get(2).getFormattedMessage()).startsWith("60 attempts");
	}

}
