package io.github.vicinal.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ReportTests {

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
		assertThat(report.svg()).startsWith("<svg").contains("http &amp; more").contains(">243<").contains(">44.6<");
		assertThatIllegalArgumentException().isThrownBy(() -> report.row("too few"));
	}

}
