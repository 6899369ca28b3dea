package io.github.vicinal.transport.wire;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class CountedRefusalsTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(CountedRefusalsTests.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final CountedRefusals refusals = new CountedRefusals(this.logger, "Refused");

	CountedRefusalsTests() {
		this.logger.setLevel(Level.INFO);
		this.logger.setAdditive(false);
		this.logger.addAppender(this.lines);
		this.lines.start();
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.lines);
	}

	@Test
	void warnsOnceOfEachKindThatSomebodyHasToLookAt() {
		this.refusals.count(Refusal.STRANGER, "user 7");
		this.refusals.count(Refusal.STRANGER, "user 8");
		this.refusals.count(Refusal.SHUTTING_DOWN, "the server ends");
		this.refusals.count(Refusal.HTTP_REQUIRED, "the server is shutting down");
		assertThat(this.lines.list).extracting((line) -> line.getLevel() + " " + line.getFormattedMessage())
			.containsExactly("WARN Refused (stranger): user 7; further ones are only counted",
					"INFO Refused (shutting-down): the server ends; further ones are only counted",
					"INFO Refused (http-required): the server is shutting down; further ones are only counted");
		assertThat(this.refusals.counters().get("stranger").sum()).isEqualTo(2);
	}

}
