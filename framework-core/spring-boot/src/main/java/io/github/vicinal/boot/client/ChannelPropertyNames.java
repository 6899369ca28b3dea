package io.github.vicinal.boot.client;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Finds misspelt properties of channels, which binding would ignore. */
final class ChannelPropertyNames {

	private static final List<String> KNOWN = Arrays.stream(VicinalProperties.Channel.class.getRecordComponents())
		.map(RecordComponent::getName)
		.map((name) -> name.replaceAll("(\\p{Upper})", "-$1").toLowerCase(Locale.ROOT))
		.toList();

	private ChannelPropertyNames() {
	}

	static void verify(Environment environment) {
		Map<String, Object> channels = Binder.get(environment)
			.bind("vicinal.channels", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		channels.forEach((channel, properties) -> {
			if (properties instanceof Map<?, ?> map) {
				map.keySet().forEach((key) -> verify(channel, String.valueOf(key)));
			}
		});
	}

	private static void verify(String channel, String key) {
		String name = key.replaceAll("\\[\\d+\\]$", "");
		if (KNOWN.stream().noneMatch((known) -> uniform(known).equals(uniform(name)))) {
			throw new InvalidChannelException(
					"The property vicinal.channels.%s.%s does not exist".formatted(channel, key),
					"Use one of " + KNOWN + ", or remove it");
		}
	}

	private static String uniform(String name) {
		return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
	}

}
