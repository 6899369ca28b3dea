package io.github.vicinal.placement.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A member of a JSON document that knows its place, for errors that name it: somebody
 * else wrote the document. Immutable.
 *
 * @since 0.1.0
 */
public final class JsonMember {

	private final JsonNode node;

	private final String place;

	/**
	 * Creates a member.
	 * @param node its value
	 * @param place what errors call it
	 */
	public JsonMember(JsonNode node, String place) {
		this.node = node;
		this.place = place;
	}

	/**
	 * Makes an exception that names the place.
	 * @param what is wrong
	 * @return the exception
	 */
	public InvalidModelException wrong(String what) {
		return new InvalidModelException("In %s: %s".formatted(this.place, what));
	}

	private void isObject() {
		if (!this.node.isObject()) {
			throw wrong("there should be an object, not " + shown(this.node));
		}
	}

	static String shown(JsonNode node) {
		String text = node.toString();
		return PrintableText.escaped((text.length() <= 60) ? text : text.substring(0, 60) + "...");
	}

	/**
	 * Refuses members that are not known.
	 * @param names the members that there may be
	 */
	public void only(String... names) {
		isObject();
		for (String name : this.node.propertyNames()) {
			if (!List.of(names).contains(name)) {
				throw wrong(
						"'%s' is not known; the members are %s".formatted(PrintableText.escaped(name), List.of(names)));
			}
		}
	}

	private @Nullable JsonNode get(String name) {
		isObject();
		JsonNode member = this.node.get(name);
		return (member == null || member.isNull()) ? null : member;
	}

	private JsonMember at(String name, JsonNode member) {
		return new JsonMember(member, this.place.equals("the model") ? name : this.place + "." + name);
	}

	/**
	 * Reads a text that must be there.
	 * @param name its name
	 * @return the text
	 */
	public String text(String name) {
		JsonNode member = get(name);
		if (member == null) {
			throw wrong("'%s' is missing".formatted(name));
		}
		return text(name, "");
	}

	/**
	 * Reads a text.
	 * @param name its name
	 * @param otherwise what it is if it is missing
	 * @return the text
	 */
	public String text(String name, String otherwise) {
		JsonNode member = get(name);
		if (member == null) {
			return otherwise;
		}
		if (!member.isString()) {
			throw wrong("%s should be a text, not %s".formatted(name, shown(member)));
		}
		return printable(name, member);
	}

	private String printable(String name, JsonNode member) {
		String text = member.stringValue();
		if (!PrintableText.isPrintable(text)) {
			throw wrong("%s is '%s', which has characters that cannot be printed; leave them out".formatted(name,
					PrintableText.escaped(text)));
		}
		return text;
	}

	/**
	 * Reads true or false.
	 * @param name its name
	 * @return the value, false if it is missing
	 */
	public boolean flag(String name) {
		JsonNode member = get(name);
		if (member != null && !member.isBoolean()) {
			throw wrong("%s should be true or false, not %s".formatted(name, shown(member)));
		}
		return member != null && member.booleanValue();
	}

	/**
	 * Reads a whole number.
	 * @param name its name
	 * @param otherwise what it is if it is missing
	 * @param min the least that is allowed
	 * @param max the most that is allowed
	 * @return the number
	 */
	public long integer(String name, long otherwise, long min, long max) {
		JsonNode member = get(name);
		return (member == null) ? otherwise : at(name, member).asInteger(min, max);
	}

	long asInteger(long min, long max) {
		if (!this.node.isIntegralNumber() || !this.node.canConvertToLong() || this.node.longValue() < min
				|| this.node.longValue() > max) {
			throw new InvalidModelException("%s is %s; it must be a whole number between %d and %d"
				.formatted(this.place, shown(this.node), min, max));
		}
		return this.node.longValue();
	}

	/**
	 * Reads a number.
	 * @param name its name
	 * @return the number, {@code null} if it is missing
	 */
	public @Nullable Double number(String name) {
		JsonNode member = get(name);
		if (member == null) {
			return null;
		}
		if (!member.isNumber()) {
			throw wrong("%s should be a number, not %s".formatted(name, shown(member)));
		}
		return member.doubleValueOpt()
			.stream()
			.boxed()
			.findFirst()
			.orElseThrow(() -> wrong(
					"%s is %s, which has more digits than the 308 that there may be".formatted(name, shown(member))));
	}

	/**
	 * Reads a number.
	 * @param name its name
	 * @param otherwise what it is if it is missing
	 * @return the number
	 */
	public double number(String name, double otherwise) {
		Double number = number(name);
		return (number != null) ? number : otherwise;
	}

	/**
	 * Reads an object.
	 * @param name its name
	 * @return the object, {@code null} if it is missing
	 */
	public @Nullable JsonMember object(String name) {
		JsonNode member = get(name);
		if (member == null) {
			return null;
		}
		JsonMember object = at(name, member);
		object.isObject();
		return object;
	}

	/**
	 * Reads a list.
	 * @param name its name
	 * @return its elements, none if it is missing
	 */
	public List<JsonMember> list(String name) {
		JsonNode member = get(name);
		if (member == null) {
			return List.of();
		}
		if (!member.isArray()) {
			throw wrong("%s should be a list, not %s".formatted(name, shown(member)));
		}
		return at(name, member).elements();
	}

	private List<JsonMember> elements() {
		List<JsonMember> list = new ArrayList<>();
		for (JsonNode element : this.node) {
			list.add(new JsonMember(element, "%s[%d]".formatted(this.place, list.size())));
		}
		return list;
	}

	Set<String> texts(String name) {
		return texts(list(name));
	}

	Set<String> asTexts() {
		if (!this.node.isArray()) {
			throw wrong("there should be a list, not " + shown(this.node));
		}
		return texts(elements());
	}

	private static Set<String> texts(List<JsonMember> elements) {
		Set<String> texts = new LinkedHashSet<>();
		for (JsonMember element : elements) {
			if (!element.node.isString()) {
				throw element.wrong("there should be a text, not " + shown(element.node));
			}
			texts.add(element.printable("the text", element.node));
		}
		return texts;
	}

	Map<String, JsonMember> members() {
		isObject();
		Map<String, JsonMember> members = new LinkedHashMap<>();
		for (Map.Entry<String, JsonNode> member : this.node.properties()) {
			if (!PrintableText.isPrintable(member.getKey())) {
				throw wrong("'%s' has characters that cannot be printed; leave them out"
					.formatted(PrintableText.escaped(member.getKey())));
			}
			members.put(member.getKey(), at(member.getKey(), member.getValue()));
		}
		return members;
	}

}
