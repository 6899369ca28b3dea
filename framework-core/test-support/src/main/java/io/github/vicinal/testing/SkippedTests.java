package io.github.vicinal.testing;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Prints each skipped test with its reason to the error stream of the process. Surefire
 * redirects {@link System#err} to files but shows this stream in the log of the build.
 */
public final class SkippedTests implements TestExecutionListener {

	private final PrintStream log = new PrintStream(new FileOutputStream(FileDescriptor.err), true,
			StandardCharsets.UTF_8);

	private final Set<String> printed = ConcurrentHashMap.newKeySet();

	@Override
	public void executionSkipped(TestIdentifier test, String reason) {
		print(test, reason);
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		if (result.getStatus() == Status.ABORTED) {
			print(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
		}
	}

	private void print(TestIdentifier test, String reason) {
		String name = test.getSource().map((source) -> {
			if (source instanceof MethodSource method) {
				return method.getClassName() + "." + method.getMethodName();
			}
			return (source instanceof ClassSource type) ? type.getClassName() : test.getDisplayName();
		}).orElse(test.getDisplayName());
		String line = "SKIPPED " + name + ": " + reason.lines().findFirst().orElse("no reason given");
		// A parameterized test is skipped once for each of its arguments.
		if (this.printed.add(line)) {
			this.log.println(line);
		}
	}

}
