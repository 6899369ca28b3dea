package io.github.vicinal.placement.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the long lists of a model element by element, so that a million edges never are a
 * tree of JSON. Equal texts are one object. Used once, by one thread.
 */
final class ModelReader {

	private final Map<String, String> texts = new HashMap<>();

	private final Map<Evidence, Evidence> evidence = new HashMap<>();

	private final Map<String, List<Object>> lists = new HashMap<>();

	/** All members but the long lists. */
	private final ObjectNode others = JsonNodeFactory.instance.objectNode();

	/**
	 * Reads a document.
	 * @param parser before its first token
	 * @param elements by name, what makes an element of each long list
	 * @return the other members
	 */
	JsonMember read(JsonParser parser, Map<String, Function<JsonMember, Object>> elements) {
		if (parser.nextToken() != JsonToken.START_OBJECT) {
			if (parser.currentToken() == null) {
				throw new InvalidModelException("The model is empty; there should be an object");
			}
			JsonNode node = parser.readValueAsTree();
			throw new JsonMember(node, "the model").wrong("there should be an object, not " + JsonMember.shown(node));
		}
		Set<String> names = new HashSet<>();
		while (parser.nextToken() != JsonToken.END_OBJECT) {
			String name = parser.currentName();
			if (!names.add(name)) {
				throw new InvalidModelException("The model has '%s' twice, line %d; of two lists one would be lost"
					.formatted(name, parser.currentTokenLocation().getLineNr()));
			}
			Function<JsonMember, Object> element = elements.get(name);
			JsonToken token = parser.nextToken();
			if (element == null) {
				JsonNode node = parser.readValueAsTree();
				this.others.set(name, node);
			}
			else if (token == JsonToken.START_ARRAY) {
				this.lists.put(name, list(parser, name, element));
			}
			else if (token != JsonToken.VALUE_NULL) {
				JsonNode node = parser.readValueAsTree();
				throw new JsonMember(node, "the model")
					.wrong("%s should be a list, not %s".formatted(name, JsonMember.shown(node)));
			}
		}
		if (parser.nextToken() != null) {
			throw new InvalidModelException(
					"There is more after the end of the model, line " + parser.currentTokenLocation().getLineNr());
		}
		return new JsonMember(this.others, "the model");
	}

	private static List<Object> list(JsonParser parser, String name, Function<JsonMember, Object> element) {
		List<Object> list = new ArrayList<>();
		while (parser.nextToken() != JsonToken.END_ARRAY) {
			JsonNode node = parser.readValueAsTree();
			list.add(element.apply(new JsonMember(node, name + "[" + list.size() + "]")));
		}
		return list;
	}

	/**
	 * Returns a list that was read.
	 * @param <T> type of its elements
	 * @param name its name
	 * @param type type of its elements
	 * @return the elements, none if the document does not have the list
	 */
	<T> List<T> list(String name, Class<T> type) {
		return this.lists.getOrDefault(name, List.of()).stream().map(type::cast).toList();
	}

	/** Returns an equal text that all holders share. */
	String shared(String text) {
		String known = this.texts.putIfAbsent(text, text);
		return (known != null) ? known : text;
	}

	/** Returns equal evidence that all holders share. */
	Evidence shared(@Nullable Evidence read) {
		Evidence all = (read != null) ? read : Evidence.given();
		Evidence known = this.evidence.putIfAbsent(all, all);
		return (known != null) ? known : all;
	}

}
