package io.github.vicinal.boot.kit;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The compatibility kit on HTTP over a Unix domain socket, compared with the same HTTP
 * client over TCP.
 */
@ExtendWith(HttpSocketCompatibilityTests.ApacheDifferences.class)
@Tag("every-jdk")
class HttpSocketCompatibilityTests extends ChannelCompatibilityKit {

	private static VicinalKitEnvironment environment;

	@Override
	protected KitEnvironment createEnvironment() {
		environment = new VicinalKitEnvironment("http", "http-components", true);
		return environment;
	}

	@AfterAll
	static void requestsWentOverTheSocket() {
		assertThat(environment.httpTransports()).contains("unix domain socket");
	}

	/** What the kit expects of any path, but not even this client does by TCP. */
	static final class ApacheDifferences implements ExecutionCondition {

		private static final String STALE = "by TCP, Apache HttpClient sends a request that must not be repeated over "
				+ "a pooled connection that the restarted server has closed, and fails";

		private static final String COOKIES = "Apache HttpClient keeps cookies, for each of the two clients its own";

		private static final Map<String, String> KNOWN = Map.of("headerValuesAtTheEdge",
				"Apache HttpClient writes line breaks in the values of headers as they are", "interruptedBefore",
				"Apache HttpClient does not look at the interruption of its thread", "interruptedWhileWaiting",
				"Apache HttpClient can be interrupted while it waits on a socket, but not by TCP", "callsAfterRestart",
				STALE, "dubbo12377CopyKeepsValues", STALE, "twoSessions", COOKIES, "sessionAttributes", COOKIES,
				"cookies", COOKIES, "headerNames", COOKIES, "clientHeaders", "a Unix domain socket has no port");

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			String reason = context.getTestMethod().map((method) -> KNOWN.get(method.getName())).orElse(null);
			if (reason == null) {
				return ConditionEvaluationResult.enabled("expected of this client");
			}
			System.err.println("Skipped: " + context.getDisplayName() + ": " + reason);
			return ConditionEvaluationResult.disabled(reason);
		}

	}

}
