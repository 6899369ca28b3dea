package io.github.vicinal.testkit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The compatibility kit for a path: extend it, say what {@linkplain KitEnvironment
 * environment} to run in, and all behaviours run, one nested class for each theme.
 *
 * <pre class="code">
 * class UdsCompatibilityTests extends ChannelCompatibilityKit {
 *
 *     &#064;Override
 *     protected KitEnvironment createEnvironment() {
 *         return new UdsKitEnvironment();
 *     }
 *
 * }
 * </pre>
 * <p>
 * A behaviour that a path cannot have yet is not skipped: the path lets such calls go
 * over HTTP and says why, which most behaviours outside the common ones accept.
 *
 * @since 0.1.0
 */
public abstract class ChannelCompatibilityKit extends RequestCompatibilityKit {

	@Nested
	@DisplayName("Arguments")
	class Arguments extends ArgumentBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Bodies")
	class Bodies extends BodyBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Results")
	class Results extends ResultBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Errors")
	class Errors extends ErrorBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Mutation")
	class Mutation extends MutationBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Deadlines and interruption")
	class Deadlines extends DeadlineBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Asynchronous calls")
	class Async extends AsyncBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Context")
	class Context extends ContextBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Client additions")
	class Additions extends AdditionBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Client settings")
	class Settings extends SettingBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Interfaces")
	class Interfaces extends InterfaceBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Volume and concurrency")
	class Volume extends VolumeBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Restart")
	class Restart extends RestartBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

	@Nested
	@DisplayName("Deployed together")
	class CoDeployment extends CoDeploymentBehaviours {

		@Override
		Kit kit() {
			return requiredKit();
		}

	}

}
