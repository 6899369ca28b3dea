package io.github.vicinal.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

	@Test
	void barsThatAreNotNumbersFallShort() {
		assertThat(new Report.Bar("x", 0.25, 0.25).passes()).isTrue();
		assertThat(new Report.Bar("x", 0.26, 0.25).passes()).isFalse();
		assertThat(new Report.Bar("x", Double.NaN, 0.25).passes()).isFalse();
	}

	@Test
	void tableAndChartShowEachRow() {
		Report report = new Report("variant", "CPU us").chart("CPU in us", "CPU us", "variant");
		report.row("http & more", 243.2);
		report.row("uds", 44.56);
		assertThat(report.table()).contains("| http & more |").contains(" 243 |").contains("44.6 |");
		assertThat(BarChart.draw(report.chartTitle(), report.chartRows(), report.chartLabels(), report.chartColumn(),
				report.chartRivals()))
			.startsWith("<svg")
			.contains("http &amp; more")
			.contains(">243<")
			.contains(">44.6<");
		assertThatIllegalArgumentException().isThrownBy(() -> report.row("too few"));
	}

}
