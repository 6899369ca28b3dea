package io.github.vicinal.benchmarks.topic;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.benchmarks.topic.ColumnChart.Group;
import io.github.vicinal.benchmarks.topic.ColumnChart.Panel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ColumnChartTests {

	private static double height(String svg, String group, String series) {
		Matcher column = Pattern
			.compile("height=\"([0-9.]+)\" fill=\"[^\"]+\"><title>%s, %s:".formatted(group, Pattern.quote(series)))
			.matcher(svg);
		assertThat(column.find()).as("%s, %s", group, series).isTrue();
		return Double.parseDouble(column.group(1));
	}

	@Test
	void eachPowerOfTenIsAsHigh() {
		String svg = ColumnChart.draw("a < b", List.of(new Panel("messages/s", List.of("10^4", "10^5"),
				List.of(new Group("one", List.of(10.0, 100.0)), new Group("other, one", List.of(1000.0, 1.0))))));
		double step = height(svg, "one", "10^5") - height(svg, "one", "10^4");
		assertThat(step).isPositive();
		assertThat(height(svg, "other, one", "10^4") - height(svg, "one", "10^5")).isCloseTo(step, within(0.2));
		assertThat(svg).startsWith("<svg").contains("a &lt; b").endsWith("</svg>\n");
	}

	@Test
	void missingFiguresAreLeftOut() {
		String svg = ColumnChart.draw("title", List.of(new Panel("messages/s", List.of("10^4", "10^6"),
				List.of(new Group("one", List.of(10.0, Double.NaN))))));
		assertThat(svg).contains("one, 10^4").doesNotContain("one, 10^6").doesNotContain("NaN");
		assertThat(ColumnChart.draw("title", List.of(new Panel("messages/s", List.of("10^4"), List.of()))))
			.contains("messages/s: nothing was measured");
	}

}
