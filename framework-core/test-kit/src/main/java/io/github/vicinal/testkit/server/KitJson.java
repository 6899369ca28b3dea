package io.github.vicinal.testkit.server;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.github.vicinal.testkit.contract.BodiesContract.MixedIn;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/**
 * The JSON settings that the kit's server has, and that one of its clients takes over.
 *
 * @since 0.1.0
 */
public final class KitJson {

	private KitJson() {
	}

	/**
	 * A module with a mix-in, which changes the JSON of a type that shows no sign of it.
	 * @return a new module
	 */
	public static JacksonModule module() {
		return new SimpleModule("vicinal-kit").setMixInAnnotation(MixedIn.class, WithoutLeft.class);
	}

	abstract static class WithoutLeft {

		@JsonIgnore
		abstract @Nullable String left();

	}

}
