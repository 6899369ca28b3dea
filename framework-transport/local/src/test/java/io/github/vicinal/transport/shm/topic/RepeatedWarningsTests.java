package io.github.vicinal.transport.shm.topic;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import static org.assertj.core.api.Assertions.assertThat;

class RepeatedWarningsTests {

	private final List<String> lines = new ArrayList<>();

	private final RepeatedWarnings warnings = new RepeatedWarnings(
			(Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] { Logger.class },
					(proxy, method, arguments) -> this.lines.add(method.getName() + " " + arguments[1])));

	@Test
	void eachTextIsAWarningOnce() {
		this.warnings.warn("a");
		this.warnings.warn("b");
		this.warnings.warn("a");
		assertThat(this.lines).containsExactly("warn a", "warn b", "debug a");
	}

	@Test
	void textsThatDifferInNumbersOnlyAreRepetitions() {
		for (int i = -500; i < 500; i++) {
			this.warnings.warn("a message of " + i + " bytes");
		}
		this.warnings.warn("topic '1' of orders-1");
		this.warnings.warn("topic '2' of orders-2");
		assertThat(this.lines).filteredOn((line) -> line.startsWith("warn "))
			.containsExactly("warn a message of -500 bytes", "warn topic '1' of orders-1",
					"warn topic '2' of orders-2");
		assertThat(this.lines).hasSize(1002);
	}

	@Test
	void numbersEndWithTheTextOrBeforePunctuation() {
		for (String text : List.of("there are %d", "of %d, which", "(of %d)", "wrong: %d; again")) {
			this.warnings.warn(text.formatted(1));
			this.warnings.warn(text.formatted(22));
		}
		assertThat(this.lines).filteredOn((line) -> line.startsWith("warn ")).hasSize(4);
	}

	@Test
	void memoryOfTextsHasAnEnd() {
		for (int i = 0; i < 1000; i++) {
			this.warnings.warn("text " + "x".repeat(i));
		}
		assertThat(this.lines).hasSize(1000).allMatch((line) -> line.startsWith("warn "));
		this.warnings.warn("text " + "x".repeat(999));
		assertThat(this.lines).last(InstanceOfAssertFactories.STRING).startsWith("debug ");
		this.warnings.warn("text ");
		assertThat(this.lines).last().isEqualTo("warn text ");
	}

}
