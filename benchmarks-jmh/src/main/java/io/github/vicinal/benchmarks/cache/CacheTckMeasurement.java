package io.github.vicinal.benchmarks.cache;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import org.w3c.dom.Element;

/**
 * Runs the compatibility kit of JCache as the build does, on each engine, and counts.
 */
public final class CacheTckMeasurement implements Measurement {

	/** All tests of the kit but the one that fails on purpose. */
	private static final int TESTS = 490;

	private static final List<String> ENGINES = List.of("tiny-lfu", "lru", "k-way", "aic");

	@Override
	public String name() {
		return "cache-tck";
	}

	@Override
	public String description() {
		return "JCache's compatibility kit (TCK 1.1.1) on each cache engine";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		String project = settings.options().get("project");
		if (project == null || !Files.exists(Path.of(project, "framework-cache/jcache/pom.xml"))) {
			throw new UsageException("The kit runs from the sources of the project; start it by benchmarks-jmh/bench");
		}
		Path reports = Path.of(project, "framework-cache/jcache/target/surefire-reports");
		for (String engine : ENGINES) {
			delete(reports.resolve("tck-" + engine));
		}
		settings.say("A run takes about a minute for each of %d engines ...", ENGINES.size());
		int exit = maven(Path.of(project), settings);
		Report report = new Report("policy", "tests", "passed", "failed", "skipped", "seconds");
		for (String engine : ENGINES) {
			Counts counts = Counts.read(reports.resolve("tck-" + engine));
			report.row(engine, counts.tests, counts.passed(), counts.failed, counts.skipped, counts.seconds);
			report.bar("tests of %d that did not pass on %s".formatted(TESTS, engine), (double) TESTS - counts.passed(),
					0);
		}
		if (exit != 0) {
			settings.say("Maven ended with %d.", exit);
		}
		return report;
	}

	private static int maven(Path project, Settings settings) throws Exception {
		Process maven = new ProcessBuilder("mvn", "-B", "test", "-pl", "framework-cache/jcache", "-am",
				"-Dtest=OnlyTheKit", "-Dsurefire.failIfNoSpecifiedTests=false", "-Dmaven.test.failure.ignore=true")
			.directory(project.toFile())
			.redirectErrorStream(true)
			.start();
		try (BufferedReader out = new BufferedReader(
				new InputStreamReader(maven.getInputStream(), StandardCharsets.UTF_8))) {
			String line;
			while ((line = out.readLine()) != null) {
				if (line.contains("(tck-") || line.contains("FAILURE!") || line.contains("BUILD FAILURE")) {
					settings.say("%s", line);
				}
			}
		}
		return maven.waitFor();
	}

	private static void delete(Path reports) throws Exception {
		if (Files.isDirectory(reports)) {
			try (DirectoryStream<Path> files = Files.newDirectoryStream(reports)) {
				for (Path file : files) {
					Files.delete(file);
				}
			}
		}
	}

	/** Sum of Surefire's reports. */
	private static final class Counts {

		private int tests;

		private int failed;

		private int skipped;

		private double seconds;

		static Counts read(Path reports) throws Exception {
			Counts counts = new Counts();
			if (!Files.isDirectory(reports)) {
				return counts;
			}
			try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "TEST-*.xml")) {
				for (Path file : files) {
					Element suite = DocumentBuilderFactory.newInstance()
						.newDocumentBuilder()
						.parse(file.toFile())
						.getDocumentElement();
					counts.tests += Integer.parseInt(suite.getAttribute("tests"));
					counts.failed += Integer.parseInt(suite.getAttribute("failures"))
							+ Integer.parseInt(suite.getAttribute("errors"));
					counts.skipped += Integer.parseInt(suite.getAttribute("skipped"));
					counts.seconds += Double.parseDouble(suite.getAttribute("time").replace(",", ""));
				}
			}
			return counts;
		}

		int passed() {
			return this.tests - this.failed - this.skipped;
		}

	}

}
