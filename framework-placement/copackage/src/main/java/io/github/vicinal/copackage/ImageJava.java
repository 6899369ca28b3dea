package io.github.vicinal.copackage;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The Java version of an image, as its variables, its command or its name say it.
 *
 * @param version 0 if they do not say it
 * @param source what says it, such as {@code JAVA_VERSION=17.0.2}
 */
record ImageJava(int version, String source) {

	private static final ImageJava UNKNOWN = new ImageJava(0, "");

	private static final String VERSION = "[a-zA-Z-]*(?:1\\.)?(\\d{1,3})(?!\\d)";

	/** A home of Java, such as {@code /usr/lib/jvm/java-17-amazon-corretto}. */
	private static final String HOME = ".*/" + VERSION + "[^/]*";

	/**
	 * Variables of images with a JDK, the surest first: 8u412, 1.8.0, 17.0.2,
	 * jdk-21.0.5+11.
	 */
	private static final List<Pattern> VARIABLES = List.of(Pattern.compile("JAVA_VERSION=" + VERSION + ".*"),
			Pattern.compile("JAVA_HOME=" + HOME + "/?"));

	private static final Pattern COMMAND = Pattern.compile(HOME + "(?:/jre)?/bin/java");

	private static final String NAMES = "java|jdk|jre|temurin|corretto|zulu|liberica|semeru|sapmachine";

	/** A version next to a name of Java, in the name of a repository or in a tag. */
	private static final Pattern NAMED = Pattern.compile("(?:" + NAMES + ")[:-]?(?:1\\.)?(\\d{1,2})(?!\\d)");

	/** A tag that begins with a version, of a repository whose name has one of Java. */
	private static final Pattern TAGGED = Pattern
		.compile("[^:]*(?:" + NAMES + ")[^:]*:(?:open-)?(?:1\\.)?(\\d{1,2})(?!\\d).*");

	/** An older number is the version of something else. */
	private static final int OLDEST = 8;

	/** Reads what a Dockerfile says. */
	static ImageJava of(@Nullable Container container) {
		if (container == null) {
			return UNKNOWN;
		}
		ImageJava named = matching(COMMAND, container.java());
		if (named.version == 0) {
			named = ofVariables(container.environment()
				.entrySet()
				.stream()
				.map((variable) -> variable.getKey() + "=" + variable.getValue())
				.toList());
		}
		return (named.version != 0) ? named : ofName(container.baseImage());
	}

	/** Reads variables, each as {@code NAME=VALUE}. */
	static ImageJava ofVariables(List<String> variables) {
		return VARIABLES.stream()
			.flatMap((pattern) -> variables.stream().map((variable) -> matching(pattern, variable)))
			.filter((java) -> java.version != 0)
			.findFirst()
			.orElse(UNKNOWN);
	}

	private static ImageJava ofName(String image) {
		// Neither the registry nor the digest says anything about Java.
		String name = image.toLowerCase(Locale.ROOT).replaceFirst("@.*", "").replaceFirst("\\A[^/]*[.:][^/]*/", "");
		Matcher named = NAMED.matcher(name);
		Matcher tagged = TAGGED.matcher(name);
		return Stream.of(named.find() ? named.group(1) : "0", tagged.matches() ? tagged.group(1) : "0")
			.map(Integer::parseInt)
			.filter((version) -> version >= OLDEST)
			.findFirst()
			.map((version) -> new ImageJava(version, image))
			.orElse(UNKNOWN);
	}

	private static ImageJava matching(Pattern pattern, String text) {
		Matcher matcher = pattern.matcher(text);
		return matcher.matches() ? new ImageJava(Integer.parseInt(matcher.group(1)), text) : UNKNOWN;
	}

	@Override
	public String toString() {
		return "Java %d (%s)".formatted(this.version, this.source);
	}

}
