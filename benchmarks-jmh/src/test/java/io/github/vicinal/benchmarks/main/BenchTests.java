package io.github.vicinal.benchmarks.main;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class BenchTests {

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private int run(String... arguments) {
		return new CommandLine(new Bench()).setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err))
			.execute(arguments);
	}

	@Test
	void listNamesTheMeasurements() {
		assertThat(run("list")).isZero();
		assertThat(this.out.toString()).contains("call ").contains("trainticket ").contains("startup ");
	}

	@Test
	void anUnknownNameIsBadUsage() {
		assertThat(run("cal")).isEqualTo(2);
		assertThat(this.err.toString()).contains("no measurement 'cal'")
			.contains("[call, exchange, startup, trainticket");
	}

}
