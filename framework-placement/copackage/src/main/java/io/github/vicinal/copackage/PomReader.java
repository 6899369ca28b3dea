package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Reads what a pom declares, with the parents that lie beside it. The paper's input: its
 * dependency files are poms. Versions that come from a parent or an import elsewhere are
 * known by the version of that parent or import.
 */
final class PomReader {

	private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

	private static final int MAX_PARENTS = 16;

	private static final long MAX_BYTES = 16L << 20;

	/** Length from which on properties in a text are not replaced any more. */
	private static final int MAX_TEXT = 1024;

	private static final String BOOT_PARENT = "org.springframework.boot:spring-boot-starter-parent";

	private static final String BOOT_BOM = "org.springframework.boot:spring-boot-dependencies";

	/** Values that stand nearer to the application are put first, and stay. */
	private final Map<String, String> properties = new HashMap<>();

	private final Map<String, String> managed = new LinkedHashMap<>();

	private final Map<String, String> imported = new LinkedHashMap<>();

	private final List<String[]> dependencies = new ArrayList<>();

	static Inventory read(String name, Path file) throws IOException {
		PomReader reader = new PomReader();
		reader.load(file, 0);
		return reader.inventory(name);
	}

	private void load(Path file, int depth) throws IOException {
		Element project = parse(file);
		if (!project.getNodeName().equals("project")) {
			throw new InvalidInputException("'%s' is no pom: its root is <%s>".formatted(file, project.getNodeName()));
		}
		Element parent = child(project, "parent");
		if (parent != null) {
			this.properties.putIfAbsent("project.parent.version", text(parent, "version"));
			this.properties.putIfAbsent("project.version", text(parent, "version"));
			this.properties.putIfAbsent("project.groupId", text(parent, "groupId"));
		}
		String version = text(project, "version");
		if (!version.isEmpty() && depth == 0) {
			this.properties.put("project.version", version);
		}
		Element own = child(project, "properties");
		if (own != null) {
			children(own)
				.forEach((each) -> this.properties.putIfAbsent(each.getNodeName(), each.getTextContent().strip()));
		}
		Element management = child(project, "dependencyManagement");
		if (management != null) {
			dependencies(management).forEach(this::manage);
		}
		dependencies(project).forEach((each) -> this.dependencies
			.add(new String[] { coordinates(each), text(each, "version"), text(each, "scope") }));
		if (parent != null) {
			this.imported.putIfAbsent(coordinates(parent), text(parent, "version"));
			Path beside = beside(file, parent);
			if (beside != null && depth < MAX_PARENTS) {
				load(beside, depth + 1);
			}
		}
	}

	/** The parent, if it lies where the pom says. */
	private static @Nullable Path beside(Path file, Element parent) {
		Element relative = child(parent, "relativePath");
		String path = (relative != null) ? relative.getTextContent().strip() : "../pom.xml";
		Path directory = file.toAbsolutePath().getParent();
		if (path.isEmpty() || directory == null) {
			return null;
		}
		Path found = directory.resolve(path).normalize();
		if (Files.isDirectory(found)) {
			found = found.resolve("pom.xml");
		}
		return Files.isRegularFile(found) && !found.equals(file.toAbsolutePath().normalize()) ? found : null;
	}

	private void manage(Element dependency) {
		if (text(dependency, "scope").equals("import")) {
			this.imported.putIfAbsent(coordinates(dependency), text(dependency, "version"));
		}
		else {
			this.managed.putIfAbsent(coordinates(dependency), text(dependency, "version"));
		}
	}

	private Inventory inventory(String name) {
		Map<String, String> resolved = new LinkedHashMap<>();
		this.imported.forEach((coordinates, version) -> resolved.put(expand(coordinates), expand(version)));
		List<Library> libraries = new ArrayList<>();
		for (String[] each : this.dependencies) {
			if (each[2].equals("test") || each[2].equals("provided")) {
				continue;
			}
			String coordinates = expand(each[0]);
			String version = each[1].isEmpty() ? this.managed.getOrDefault(each[0], "") : each[1];
			libraries.add(new Library(coordinates, expand(version), "", "", 0));
		}
		String boot = resolved.getOrDefault(BOOT_PARENT, resolved.getOrDefault(BOOT_BOM, ""));
		int java = java(this.properties.getOrDefault("java.version",
				this.properties.getOrDefault("maven.compiler.release", "")));
		Inventory empty = Inventory.empty(name);
		return new Inventory(name, null, "", boot, java, libraries, resolved, empty.settings(), empty.resources(),
				empty.jvmWideCalls(), empty.natives(), false, null);
	}

	private static int java(String version) {
		try {
			return Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	private String expand(String text) {
		String expanded = text;
		// Properties refer to properties; those that refer to themselves end here, too.
		for (int i = 0; i < 8 && expanded.length() <= MAX_TEXT && expanded.contains("${"); i++) {
			Matcher matcher = PROPERTY.matcher(expanded);
			StringBuilder next = new StringBuilder();
			while (matcher.find()) {
				matcher.appendReplacement(next,
						Matcher.quoteReplacement(this.properties.getOrDefault(matcher.group(1), matcher.group())));
			}
			expanded = matcher.appendTail(next).toString();
		}
		return expanded;
	}

	private static List<Element> dependencies(Element parent) {
		Element list = child(parent, "dependencies");
		return (list != null) ? children(list) : List.of();
	}

	private static String coordinates(Element element) {
		return text(element, "groupId") + ":" + text(element, "artifactId");
	}

	private static String text(Element parent, String name) {
		Element child = child(parent, name);
		return (child != null) ? child.getTextContent().strip() : "";
	}

	private static @Nullable Element child(Element parent, String name) {
		return children(parent).stream().filter((each) -> each.getNodeName().equals(name)).findFirst().orElse(null);
	}

	private static List<Element> children(Element parent) {
		List<Element> children = new ArrayList<>();
		for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
			if (each instanceof Element element) {
				children.add(element);
			}
		}
		return children;
	}

	private static Element parse(Path file) throws IOException {
		if (Files.size(file) > MAX_BYTES) {
			throw new InvalidInputException("'%s' has more than %d bytes".formatted(file, MAX_BYTES));
		}
		try (InputStream in = Files.newInputStream(file)) {
			DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
			factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
			// Nothing outside the file is read, whatever it says.
			factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
			factory.setExpandEntityReferences(false);
			var builder = factory.newDocumentBuilder();
			builder.setErrorHandler(new Strict());
			return builder.parse(in).getDocumentElement();
		}
		catch (SAXException ex) {
			throw new InvalidInputException("'%s' is no pom: %s".formatted(file, ex.getMessage()));
		}
		catch (ParserConfigurationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Says nothing on standard error. */
	private static final class Strict implements ErrorHandler {

		@Override
		public void warning(SAXParseException ex) {
		}

		@Override
		public void error(SAXParseException ex) throws SAXException {
			throw ex;
		}

		@Override
		public void fatalError(SAXParseException ex) throws SAXException {
			throw ex;
		}

	}

}
