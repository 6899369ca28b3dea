package io.github.vicinal.placement.model;

/**
 * Texts that people read in terminals, tables and pages, although somebody else wrote
 * them. Characters that control a terminal, begin a line or turn the direction of writing
 * would show something else than what is meant.
 *
 * @since 0.1.0
 */
public final class PrintableText {

	private PrintableText() {
	}

	/**
	 * Returns whether all characters of a text are visible or blanks.
	 * @param text the text
	 * @return {@code false} for controls, formats, separators of lines, surrogates
	 * without a partner, and what is no character
	 */
	public static boolean isPrintable(String text) {
		return text.codePoints().allMatch(PrintableText::isPrintable);
	}

	private static boolean isPrintable(int character) {
		if ((character & 0xFFFE) == 0xFFFE) {
			// No character, and not allowed in XML.
			return false;
		}
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				false;
			default -> true;
		};
	}

	/**
	 * Makes all characters of a text visible.
	 * @param text the text
	 * @return the text, with {@code \\u001B} in place of what is not printable
	 */
	public static String escaped(String text) {
		if (isPrintable(text)) {
			return text;
		}
		StringBuilder escaped = new StringBuilder();
		text.codePoints().forEach((character) -> {
			if (isPrintable(character)) {
				escaped.appendCodePoint(character);
			}
			else {
				escaped.append("\\u%04X".formatted(character));
			}
		});
		return escaped.toString();
	}

	/**
	 * Checks a name.
	 * @param what it names, such as {@code service}
	 * @param name the name
	 * @throws InvalidModelException if it has a character that is not printable
	 */
	static void require(String what, String name) {
		if (!isPrintable(name)) {
			throw new InvalidModelException(
					"The name '%s' of a %s has characters that cannot be printed; leave them out"
						.formatted(escaped(name), what));
		}
	}

}
