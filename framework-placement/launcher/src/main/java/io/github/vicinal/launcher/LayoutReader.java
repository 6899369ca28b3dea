package io.github.vicinal.launcher;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads {@link Layout#FILE}. Unknown names are errors: a misspelt one would be ignored.
 */
final class LayoutReader {

	private static final long MAX_BYTES = 16L << 20;

	private static final long DEFAULT_START_SECONDS = 120;

	private static final long DEFAULT_STOP_SECONDS = 40;

	private static final long MAX_SECONDS = 86_400;

	private static final Set<String> MEMBERS = Set.of("format", "version", "shared", "applications");

	private static final Set<String> APPLICATION_MEMBERS = Set.of("name", "mainClass", "classPath", "arguments",
			"systemProperties", "startAfter", "startTimeoutSeconds", "stopTimeoutSeconds", "essential");

	private final Path directory;

	LayoutReader(Path directory) {
		this.directory = directory;
	}

	Layout read() throws IOException {
		Path file = this.directory.resolve(Layout.FILE);
		try {
			if (Files.size(file) > MAX_BYTES) {
				throw new InvalidLayoutException("'%s' has more than %d bytes".formatted(file, MAX_BYTES));
			}
			return read(Files.readString(file));
		}
		catch (NoSuchFileException ex) {
			throw new InvalidLayoutException(
					"There is no file '%s'; name a directory that 'copackage build' has written".formatted(file));
		}
		catch (CharacterCodingException ex) {
			throw new InvalidLayoutException("'%s' is no text in UTF-8; build the layout again".formatted(file));
		}
		catch (InvalidLayoutException ex) {
			throw new InvalidLayoutException("'%s': %s".formatted(file, ex.getMessage()));
		}
	}

	Layout read(String json) {
		Map<?, ?> root = object(tree(json), "the layout", MEMBERS);
		if (!Layout.FORMAT.equals(root.get("format"))
				|| !Integer.toString(Layout.VERSION).equals(String.valueOf(root.get("version")))) {
			throw new InvalidLayoutException(
					"format is '%s' and version '%s', where '%s' and '%d' are read; build it with this version of copackage"
						.formatted(root.get("format"), root.get("version"), Layout.FORMAT, Layout.VERSION));
		}
		List<Layout.Application> applications = new ArrayList<>();
		for (Object each : list(root.get("applications"), "applications")) {
			applications.add(application(each, "applications[%d]".formatted(applications.size())));
		}
		if (applications.isEmpty()) {
			throw new InvalidLayoutException("There are no applications in it");
		}
		return new Layout(this.directory, paths(root.get("shared"), "shared"), applications);
	}

	private Layout.Application application(@Nullable Object value, String where) {
		Map<?, ?> member = object(value, where, APPLICATION_MEMBERS);
		Map<String, String> properties = properties(member.get("systemProperties"), where + ".systemProperties");
		return new Layout.Application(text(member, "name", where), text(member, "mainClass", where),
				paths(member.get("classPath"), where + ".classPath"),
				texts(member.get("arguments"), where + ".arguments"), properties,
				texts(member.get("startAfter"), where + ".startAfter"),
				seconds(member.get("startTimeoutSeconds"), DEFAULT_START_SECONDS, where + ".startTimeoutSeconds"),
				seconds(member.get("stopTimeoutSeconds"), DEFAULT_STOP_SECONDS, where + ".stopTimeoutSeconds"),
				flag(member.get("essential"), where + ".essential"));
	}

	private static Map<String, String> properties(@Nullable Object value, String where) {
		Map<String, String> properties = new LinkedHashMap<>();
		if (value == null) {
			return properties;
		}
		if (!(value instanceof Map<?, ?> given)) {
			throw new InvalidLayoutException("%s is %s where an object is expected".formatted(where, value));
		}
		given.forEach((name, text) -> {
			if (text == null || text instanceof Map<?, ?> || text instanceof List<?>) {
				throw new InvalidLayoutException("%s holds %s where a text is expected".formatted(where, text));
			}
			properties.put(String.valueOf(name), String.valueOf(text));
		});
		return properties;
	}

	private static boolean flag(@Nullable Object value, String where) {
		if (value == null || value instanceof Boolean) {
			return Boolean.TRUE.equals(value);
		}
		throw new InvalidLayoutException(
				"%s is %s, a text or number; write true or false without quotes".formatted(where, value));
	}

	private static Duration seconds(@Nullable Object value, long preset, String where) {
		if (value == null) {
			return Duration.ofSeconds(preset);
		}
		if (value instanceof Long number && number > 0 && number <= MAX_SECONDS) {
			return Duration.ofSeconds(number);
		}
		throw new InvalidLayoutException(
				"%s is %s; it is a whole number from 1 to %d".formatted(where, value, MAX_SECONDS));
	}

	/** Paths stay inside the layout, so that it can be moved and nothing else is run. */
	private List<String> paths(@Nullable Object value, String where) {
		List<String> paths = texts(value, where);
		for (String path : paths) {
			Path resolved = resolve(path, where);
			if (Path.of(path).isAbsolute() || !resolved.startsWith(this.directory.normalize())) {
				throw new InvalidLayoutException(
						"%s names '%s', which is outside the layout; use a path below its directory".formatted(where,
								path));
			}
			if (!Files.exists(resolved)) {
				throw new InvalidLayoutException(
						"%s names '%s', which is not there; build the layout again".formatted(where, path));
			}
		}
		return paths;
	}

	private Path resolve(String path, String where) {
		try {
			return this.directory.resolve(path).normalize();
		}
		catch (InvalidPathException ex) {
			throw new InvalidLayoutException("%s names '%s', which is no path".formatted(where, path));
		}
	}

	private static String text(Map<?, ?> object, String name, String where) {
		if (object.get(name) instanceof String text) {
			return text;
		}
		throw new InvalidLayoutException("%s needs a text '%s', but has %s".formatted(where, name, object.get(name)));
	}

	private static List<String> texts(@Nullable Object value, String where) {
		List<String> texts = new ArrayList<>();
		if (value == null) {
			return texts;
		}
		for (Object each : list(value, where)) {
			if (!(each instanceof String text)) {
				throw new InvalidLayoutException("%s holds %s where a text is expected".formatted(where, each));
			}
			texts.add(text);
		}
		return texts;
	}

	private static List<?> list(@Nullable Object value, String where) {
		if (value instanceof List<?> list) {
			return list;
		}
		throw new InvalidLayoutException("%s is %s where a list is expected".formatted(where, value));
	}

	private static Map<?, ?> object(@Nullable Object value, String where, Set<String> known) {
		if (!(value instanceof Map<?, ?> object)) {
			throw new InvalidLayoutException("%s is %s where an object is expected".formatted(where, value));
		}
		for (Object name : object.keySet()) {
			if (!known.contains(String.valueOf(name))) {
				throw new InvalidLayoutException("%s has an unknown member '%s'; it knows %s".formatted(where, name,
						known.stream().sorted().toList()));
			}
		}
		return object;
	}

	private static @Nullable Object tree(String json) {
		try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
			Object value = value(parser, parser.nextToken());
			if (parser.nextToken() != null) {
				throw new InvalidLayoutException("There is more than one value in it");
			}
			return value;
		}
		catch (JacksonException ex) {
			// What follows in brackets names places that this file has no names for.
			throw new InvalidLayoutException("This is no JSON: %s, line %d".formatted(
					String.valueOf(ex.getOriginalMessage()).replaceFirst(" \\(start marker .*", ""),
					(ex.getLocation() != null) ? ex.getLocation().getLineNr() : 1));
		}
	}

	private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token) {
		if (token == null) {
			throw new InvalidLayoutException("The file is empty");
		}
		return switch (token) {
			case START_OBJECT -> {
				Map<String, @Nullable Object> object = new LinkedHashMap<>();
				while (parser.nextToken() != JsonToken.END_OBJECT) {
					String name = parser.currentName();
					if (object.containsKey(name)) {
						throw new InvalidLayoutException("The member '%s' is there twice".formatted(name));
					}
					object.put(name, value(parser, parser.nextToken()));
				}
				yield object;
			}
			case START_ARRAY -> {
				List<@Nullable Object> list = new ArrayList<>();
				for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
					list.add(value(parser, next));
				}
				yield list;
			}
			case VALUE_STRING -> parser.getString();
			case VALUE_NUMBER_INT -> parser.getLongValue();
			case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
			case VALUE_TRUE -> true;
			case VALUE_FALSE -> false;
			default -> null;
		};
	}

}
