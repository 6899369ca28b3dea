package io.github.vicinal.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/**
 * The part of the compatibility kit that is about requests and responses: what handlers
 * see of the one and write to the other. {@link ChannelCompatibilityKit} includes it.
 * Extend this class to run it alone, for example with a server that has a context path.
 *
 * @since 0.1.0
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class RequestCompatibilityKit {

	private @Nullable Kit kit;

	/**
	 * Create the environment, once for all behaviours. The kit closes it.
	 * @return a started environment
	 * @throws Exception if it does not start
	 */
	protected abstract KitEnvironment createEnvironment() throws Exception;

	@BeforeAll
	void startEnvironment() throws Exception {
		this.kit = new Kit(createEnvironment());
	}

	@AfterAll
	void stopEnvironment() {
		if (this.kit != null) {
			this.kit.environment().close();
		}
	}

	final Kit requiredKit() {
		if (this.kit == null) {
			throw new IllegalStateException("The environment has not been started");
		}
		return this.kit;
	}

	@Nested
	@DisplayName("Requests")
	class Requests extends RequestBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Responses")
	class Responses extends ResponseBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

}
