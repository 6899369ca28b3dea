package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import io.github.vicinal.testkit.contract.ArgumentsContract;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ArgumentsController implements ArgumentsContract {

	@Override
	public String ping() {
		return "arguments";
	}

	@Override
	public Seen path(String value) {
		return seen(value);
	}

	@Override
	public Seen twoInOneSegment(String left, String right) {
		return seen(left, right);
	}

	@Override
	public Seen typedPath(UUID id, LocalDate day, Colour colour, boolean flag, int number) {
		return seen(id, day, colour.name(), flag, number);
	}

	@Override
	public Seen pathMap(Map<String, String> variables) {
		return seen(new TreeMap<>(variables));
	}

	@Override
	public Seen text(String value) {
		return seen(value);
	}

	@Override
	public Seen list(List<String> values) {
		return seen(values.toArray());
	}

	@Override
	public Seen optionalList(@Nullable List<String> values) {
		return (values != null) ? seen(values.toArray()) : seen("null");
	}

	@Override
	public Seen array(String[] values) {
		return seen((Object[]) values);
	}

	@Override
	public Seen numbers(int[] values) {
		return seen(Arrays.toString(values));
	}

	@Override
	public Seen set(Set<Colour> values) {
		return seen(new TreeSet<>(values).toArray());
	}

	@Override
	public Seen collection(Collection<String> values) {
		return seen(values.getClass().getSimpleName() + values);
	}

	@Override
	public Seen params(Map<String, String> values) {
		return seen(new TreeMap<>(values));
	}

	@Override
	public Seen multiParams(MultiValueMap<String, String> values) {
		return seen(new TreeMap<>(values));
	}

	@Override
	public Seen nullable(@Nullable String value, @Nullable Integer number) {
		return seen(value, number);
	}

	@Override
	public Seen withDefault(@Nullable String value, @Nullable Integer number) {
		return seen(value, number);
	}

	@Override
	public Seen optional(Optional<String> value, Optional<Integer> number) {
		return seen(value, number);
	}

	@Override
	public Seen typed(UUID id, Colour colour, boolean flag, long number, BigDecimal decimal, char letter) {
		return seen(id, colour.name(), flag, number, decimal, letter);
	}

	@Override
	public Seen times(Instant instant, Duration duration) {
		return seen(instant, duration);
	}

	@Override
	public Seen plainDates(LocalDate day, LocalDateTime moment) {
		return seen(day, moment);
	}

	@Override
	public Seen isoDates(LocalDate day, LocalDateTime moment) {
		return seen(day, moment);
	}

	@Override
	public Seen sku(Sku sku) {
		return seen(sku);
	}

	@Override
	public Seen header(String value) {
		return seen(value);
	}

	@Override
	public Seen headers(List<String> values) {
		return seen(values.toArray());
	}

	@Override
	public Seen headerDefault(@Nullable String value) {
		return seen(value);
	}

	@Override
	public Seen headerOptional(Optional<String> value) {
		return seen(value);
	}

	@Override
	public Seen headerMap(Map<String, String> values) {
		Map<String, String> own = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		own.putAll(values);
		own.keySet().removeIf((name) -> !name.toLowerCase(Locale.ROOT).startsWith("x-kit"));
		return seen(own.values().toArray());
	}

	@Override
	public Seen headerFixed(@Nullable String value) {
		return seen(value);
	}

	@Override
	public Seen headerAmbient(@Nullable String value) {
		return seen(value);
	}

	@Override
	public Seen cookie(String value, @Nullable String other, @Nullable String third) {
		return seen(value, other, third);
	}

	@Override
	public Seen attribute(@Nullable String value) {
		return seen(value);
	}

	@Override
	public Seen body(Named body) {
		return seen(body);
	}

	@Override
	public Seen optionalBody(@Nullable Named body) {
		return seen(body);
	}

	@Override
	public Seen form(MultiValueMap<String, String> form) {
		return seen(new TreeMap<>(form));
	}

	@Override
	public Seen multipart(Named meta, Resource file) {
		try {
			return seen(meta, file.getFilename(), file.getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Seen method(HttpMethod method, String value) {
		return seen(method, value);
	}

	@Override
	public Seen everything(long id, List<Colour> colours, String header, String cookie, Named body) {
		return seen(id, colours.stream().map(Enum::name).toList(), header, cookie, body);
	}

	private static Seen seen(@Nullable Object... values) {
		List<String> parts = new ArrayList<>();
		for (Object value : values) {
			parts.add(String.valueOf(value));
		}
		return new Seen(parts);
	}

}
