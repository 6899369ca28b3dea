package io.github.vicinal.transport.rdma;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs test classes of this package in the guest, which has no build tool. The first
 * argument is the file of results, the others are names of classes, or of methods after a
 * {@code #}.
 */
final class RdmaGuestMain {

	private RdmaGuestMain() {
	}

	public static void main(String[] args) throws Exception {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(Arrays.stream(args)
				.skip(1)
				.map((name) -> RdmaGuestMain.class.getPackageName() + "." + name)
				.map((name) -> (name.indexOf('#') >= 0) ? DiscoverySelectors.selectMethod(name)
						: DiscoverySelectors.selectClass(name))
				.toList())
			.build();
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		Launcher launcher = LauncherFactory.create();
		try (PrintWriter results = new PrintWriter(Files.newBufferedWriter(Path.of(args[0]), StandardCharsets.UTF_8),
				true)) {
			launcher.execute(request, summary, new TestExecutionListener() {

				private long start;

				@Override
				public void executionStarted(TestIdentifier test) {
					this.start = System.nanoTime();
				}

				@Override
				public void executionFinished(TestIdentifier test, TestExecutionResult result) {
					if (test.isTest()) {
						results.printf("%s %s (%d ms)%n", result.getStatus(),
								test.getLegacyReportingName() + " " + test.getDisplayName(),
								(System.nanoTime() - this.start) / 1_000_000);
						result.getThrowable().ifPresent((failure) -> failure.printStackTrace(results));
					}
				}

			});
			summary.getSummary().printTo(results);
		}
		boolean passed = summary.getSummary().getTestsFoundCount() > 0
				&& summary.getSummary().getTestsSucceededCount() == summary.getSummary().getTestsFoundCount();
		Runtime.getRuntime().halt(passed ? 0 : 1);
	}

}
