package io.github.vicinal.transport.tcp;

import java.io.IOException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class AcceptFailuresTests {

	@Test
	void manyFailuresMakeOneLineWithARemedy() {
		Logger logger = (Logger) LoggerFactory.getLogger(AcceptFailuresTests.class);
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		logger.setAdditive(false);
		logger.addAppender(lines);
		EmbeddedChannel channel = new EmbeddedChannel(new AcceptFailures(logger));
		for (int i = 0; i < 10; i++) {
			channel.pipeline().fireExceptionCaught(new IOException("Too many open files"));
		}
		channel.checkException();
		assertThat(lines.list).hasSize(1);
		assertThat(lines.list.get(0).getFormattedMessage()).contains("Too many open files",
				"raise the limit of open files");
		logger.detachAppender(lines);
	}

}
