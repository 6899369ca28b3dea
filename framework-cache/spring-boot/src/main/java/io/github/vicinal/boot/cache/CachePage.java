package io.github.vicinal.boot.cache;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.github.vicinal.boot.cache.CacheReportsEndpoint.CacheDescriptor;
import io.github.vicinal.boot.cache.CacheReportsEndpoint.CandidateDescriptor;
import io.github.vicinal.boot.cache.CacheReportsEndpoint.SizeDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.HtmlUtils;

/**
 * Draws a cache as a page without scripts and without anything from elsewhere: figures,
 * the miss-ratio curve, and a bar for each candidate.
 */
final class CachePage {

	private static final int WIDTH = 560;

	private static final int HEIGHT = 220;

	private static final int LEFT = 56;

	private static final int TOP = 14;

	private static final int BOTTOM = 40;

	private static final String STYLE = """
			body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:44rem;padding:0 1rem;color:#1d2430}
			h1{font-size:1.35rem;margin:0 0 .2rem} h2{font-size:1.05rem;margin:1.8rem 0 .4rem} p{margin:.3rem 0;color:#4c5667}
			table{border-collapse:collapse;width:100%} td,th{padding:.25rem .5rem;text-align:right;border-bottom:1px solid #e3e7ee}
			td:first-child,th:first-child{text-align:left} th{font-weight:600;color:#4c5667} svg{width:100%;height:auto}
			.bar{height:.7rem;background:#b9c6dc;border-radius:2px} .active .bar{background:#2563a8} .active td{font-weight:600}
			ol{padding-left:1.3rem;color:#4c5667;font-size:.9rem}""";

	private CachePage() {
	}

	static String draw(String name, CacheDescriptor cache) {
		StringBuilder page = new StringBuilder(4096);
		String title = HtmlUtils.htmlEscape(name);
		page.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
			.append(title)
			.append("</title><meta name=\"viewport\" content=\"width=device-width\"><style>")
			.append(STYLE)
			.append("</style></head><body><h1>")
			.append(title)
			.append("</h1><p>")
			.append(HtmlUtils.htmlEscape(summary(cache)))
			.append("</p>");
		figures(page, cache);
		curve(page, cache.missRatioCurve());
		candidates(page, cache);
		log(page, cache.log());
		return page.append("</body></html>").toString();
	}

	private static String summary(CacheDescriptor cache) {
		String policy = cache.policy().equals(cache.active()) ? cache.policy()
				: cache.policy() + ", now " + cache.active();
		return "%s; %,d of %,d in use; hit ratio %s".formatted(policy, cache.size(), cache.maximum(),
				percent(cache.hitRatio()));
	}

	private static String percent(@Nullable Double ratio) {
		return (ratio == null) ? "not known yet" : String.format(Locale.ROOT, "%.1f %%", 100 * ratio);
	}

	private static void figures(StringBuilder page, CacheDescriptor cache) {
		page.append("<h2>Counted</h2><table><tr><th>Hits</th><th>Misses</th><th>Loads</th><th>Failed loads</th>")
			.append("<th>Evicted</th><th>Expired</th></tr><tr>");
		for (long count : new long[] { cache.statistics().hits(), cache.statistics().misses(),
				cache.statistics().loadSuccesses(), cache.statistics().loadFailures(), cache.statistics().evictions(),
				cache.statistics().expirations() }) {
			page.append("<td>").append(String.format(Locale.ROOT, "%,d", count)).append("</td>");
		}
		page.append("</tr></table>");
	}

	private static void curve(StringBuilder page, List<SizeDescriptor> sizes) {
		List<SizeDescriptor> known = sizes.stream().filter((size) -> size.missRatio() != null).toList();
		if (known.size() < 2) {
			return;
		}
		double highest = known.stream().mapToDouble(CachePage::miss).max().orElse(1);
		double top = Math.max(0.05, Math.ceil(highest * 20) / 20);
		page.append("<h2>Estimated miss ratio at other sizes</h2><svg viewBox=\"0 0 ")
			.append(WIDTH)
			.append(' ')
			.append(HEIGHT)
			.append("\" role=\"img\" aria-label=\"Miss ratio by size\" font-size=\"12\" fill=\"#4c5667\">");
		for (int i = 0; i <= 4; i++) {
			double y = y(top * i / 4, top);
			page.append(String.format(Locale.ROOT,
					"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e7ee\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f %%</text>",
					LEFT, WIDTH - 10, y, y, LEFT - 8, y + 4, 100 * top * i / 4));
		}
		StringBuilder line = new StringBuilder();
		StringBuilder points = new StringBuilder();
		for (int i = 0; i < known.size(); i++) {
			SizeDescriptor size = known.get(i);
			double x = LEFT + 40 + i * (WIDTH - LEFT - 110.0) / (known.size() - 1);
			double y = y(miss(size), top);
			boolean own = size.factor() == 1;
			line.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
			points.append(String.format(Locale.ROOT,
					"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"#2563a8\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#1d2430\">%.1f %%</text>"
							+ "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\"%s>%,d</text><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
					x, y, own ? 6 : 4, x, (y < TOP + 24) ? y + 20 : y - 10, 100 * miss(size), x, HEIGHT - 22,
					own ? " font-weight=\"600\"" : "", size.maximum(), x, HEIGHT - 6,
					own ? "as it is" : trimmed(size.factor()) + " x"));
		}
		page.append("<polyline fill=\"none\" stroke=\"#2563a8\" stroke-width=\"2\" points=\"")
			.append(line.toString().trim())
			.append("\"/>")
			.append(points)
			.append("</svg>");
	}

	private static String trimmed(double factor) {
		return (factor == Math.rint(factor)) ? String.valueOf((long) factor) : String.valueOf(factor);
	}

	private static double miss(SizeDescriptor size) {
		return Objects.requireNonNull(size.missRatio());
	}

	private static double y(double ratio, double top) {
		return TOP + (1 - ratio / top) * (HEIGHT - TOP - BOTTOM);
	}

	private static void candidates(StringBuilder page, CacheDescriptor cache) {
		if (cache.candidates().isEmpty()) {
			return;
		}
		page.append("<h2>Candidates</h2><p>")
			.append(String.format(Locale.ROOT, "%,d switches, %,d of them taken back; regret %s", cache.switches(),
					cache.reverts(), percent(cache.regret())))
			.append("</p><table><tr><th>Policy</th><th style=\"width:45%\"></th><th>Recent hit ratio</th><th>Whole life</th></tr>");
		for (CandidateDescriptor candidate : cache.candidates()) {
			double ratio = (candidate.hitRatio() != null) ? candidate.hitRatio() : 0;
			page.append(candidate.active() ? "<tr class=\"active\"><td>" : "<tr><td>")
				.append(HtmlUtils.htmlEscape(candidate.policy()))
				.append(String.format(Locale.ROOT, "</td><td><div class=\"bar\" style=\"width:%.1f%%\"></div></td><td>",
						100 * Math.min(1, Math.max(0, ratio))))
				.append(percent(candidate.hitRatio()))
				.append("</td><td>")
				.append(percent(candidate.lifetimeHitRatio()))
				.append("</td></tr>");
		}
		page.append("</table>");
	}

	private static void log(StringBuilder page, List<String> log) {
		if (log.isEmpty()) {
			return;
		}
		page.append("<h2>Last switches</h2><ol>");
		log.forEach((line) -> page.append("<li>").append(HtmlUtils.htmlEscape(line)).append("</li>"));
		page.append("</ol>");
	}

}
