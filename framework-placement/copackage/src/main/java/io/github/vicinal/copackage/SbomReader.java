package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a bill of materials of CycloneDX, as {@code /actuator/sbom} gives it. */
final class SbomReader {

	private SbomReader() {
	}

	static Inventory read(String name, String file, String json) {
		JsonNode root;
		try {
			root = JsonMapper.builder().build().readTree(json);
		}
		catch (JacksonException ex) {
			throw new InvalidInputException("'%s' is no JSON: %s".formatted(file,
					String.valueOf(ex.getOriginalMessage()).replaceFirst(" \\(start marker .*", "")));
		}
		if (!root.path("bomFormat").asString("").equals("CycloneDX")) {
			throw new InvalidInputException("'%s' is no bill of materials of CycloneDX: its bomFormat is '%s'"
				.formatted(file, root.path("bomFormat").asString("")));
		}
		List<Library> libraries = new ArrayList<>();
		String boot = "";
		for (JsonNode component : root.path("components")) {
			String group = component.path("group").asString("");
			String artifact = component.path("name").asString("");
			String version = component.path("version").asString("");
			String sha256 = "";
			for (JsonNode hash : component.path("hashes")) {
				if (hash.path("alg").asString("").equals("SHA-256")) {
					sha256 = hash.path("content").asString("").toLowerCase(Locale.ROOT);
				}
			}
			libraries.add(new Library(group.isEmpty() ? artifact : group + ":" + artifact, version, sha256, "", 0));
			if (group.equals("org.springframework.boot") && artifact.equals("spring-boot")) {
				boot = version;
			}
		}
		Inventory empty = Inventory.empty(name);
		return new Inventory(name, null, "", boot, 0, libraries, Map.of(), empty.settings(), empty.resources(),
				empty.jvmWideCalls(), empty.natives(), false, null);
	}

}
