package io.github.vicinal.transport.rdma;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs {@link RdmaGuestTests} in the guest, which has no build tool. */
final class RdmaGuestMain {

	private RdmaGuestMain() {
	}

	public static void main(String[] args) throws Exception {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectClass(RdmaGuestTests.class))
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
