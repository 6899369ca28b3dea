package io.github.vicinal.placement.model;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/** The schema says what {@link ModelJson} reads and writes, no more and no less. */
class ModelSchemaTests {

	/** All members that there are, each with a value that fits. */
	private static final String ALL = """
			{ "$schema": "placement-model-1.schema.json", "format": "vicinal-placement-model", "version": 1,
			  "services": [ { "name": "a", "replicas": 2, "demand": { "cpuMillis": 5, "gpus": 0 }, "ports": [ 80 ],
			      "maxPerHost": 1, "zones": [ "z" ], "pinnedTo": [ "x", "y" ],
			      "demandFrom": { "cpuMillis": "p" } }, { "name": "b" } ],
			  "hosts": [ { "name": "x", "zone": "z", "capacity": { "cpuMillis": 50 }, "reserve": { "cpuMillis": 1 },
			      "maxReplicas": 9 }, { "name": "y", "zone": "z", "capacity": { "cpuMillis": 50 } } ],
			  "edges": [ { "from": "a", "to": "b", "callsPerSecond": 1, "applicationBytesPerSecond": 2,
			      "wireBytesPerSecond": 3, "hopBytesPerSecond": 4, "p90LatencyMicros": 5, "evidence": {
			        "source": "s", "samples": 6, "windowSeconds": 7, "partial": true, "note": "n" } } ],
			  "separations": [ { "services": [ "a" ], "scope": "host", "reason": "r" } ],
			  "pathCosts": {
			    "sameHost": { "path": "uds", "latencyMicros": 1, "latencyMicrosPerKib": 1, "cpuMicros": 1,
			      "cpuMicrosPerKib": 1, "relativeError": 1 },
			    "otherHost": { "path": "http", "latencyMicros": 2, "latencyMicrosPerKib": 2, "cpuMicros": 2,
			      "cpuMicrosPerKib": 2, "relativeError": 2 },
			    "otherZone": { "path": "http", "latencyMicros": 3, "latencyMicrosPerKib": 3, "cpuMicros": 3,
			      "cpuMicrosPerKib": 3, "relativeError": 3 } },
			  "objective": { "edgeWeight": "calls", "routing": "local", "communication": 1, "imbalance": 1,
			    "moves": 1, "hosts": 1 },
			  "current": { "a": { "x": 1, "y": 1 }, "b": { "x": 1 } },
			  "mayConcentrate": [ "a" ], "doubts": { "notSeen": [ "s" ], "unlocated": [ "a" ] },
			  "routes": [ { "name": "r", "callsPerSecond": 1, "criticalPath": [ { "from": "a", "to": "b", "calls": 2 } ],
			      "p99Micros": 3, "sloMicros": 4, "evidence": { "source": "s" } } ],
			  "prices": { "currency": "EUR", "perCoreHour": 1, "perHostHour": 2 } }""";

	/** Error of the reader about the form of a document, not its meaning. */
	private static final List<String> FORM = List.of("should be", "whole number", "is not known", "is missing",
			"begins with", "are needed", "There is no", "it is host or zone");

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final Schema SCHEMA = schema();

	private static Schema schema() {
		try (InputStream in = Objects
			.requireNonNull(ModelJson.class.getResourceAsStream("placement-model-1.schema.json"))) {
			return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(in);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> errors(String json) {
		return SCHEMA.validate(json, InputFormat.JSON).stream().map(Object::toString).toList();
	}

	private static String refusal(String json) {
		try {
			new ModelJson().read(json);
			return "";
		}
		catch (InvalidModelException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@Property(tries = 100)
	void writtenDocumentsAreValid(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas) {
		assertThat(errors(new ModelJson().write(new RandomModels(seed, replicas, true).model(8, 3)))).isEmpty();
	}

	@Test
	void theGuidesModelIsValid() throws IOException {
		String guide = Files.readString(Path.of("../../docs/guide/placement.md"));
		int start = guide.indexOf("```json\n") + 8;
		String json = guide.substring(start, guide.indexOf("```", start));
		assertThat(json).contains(ModelJson.FORMAT);
		assertThat(errors(json)).isEmpty();
		assertThat(refusal(json)).isEmpty();
	}

	@Test
	void theDocumentOfAllMembersIsValid() {
		assertThat(errors(ALL)).isEmpty();
		assertThat(refusal(ALL)).isEmpty();
	}

	/** Every value is replaced by others, left out, and joined by an unknown one. */
	@Test
	void schemaAndReaderRefuseTheSameForms() {
		List<String> changed = new ArrayList<>();
		JsonNode root = MAPPER.readTree(ALL);
		change(root, root, changed);
		assertThat(changed).hasSizeGreaterThan(500);
		int refused = 0;
		for (String json : changed) {
			String refusal = refusal(json);
			List<String> errors = errors(json);
			if (!errors.isEmpty()) {
				refused++;
				assertThat(refusal).as("%s%n%s", errors, json).isNotEmpty();
			}
			if (FORM.stream().anyMatch(refusal::contains)) {
				assertThat(errors).as("%s%n%s", refusal, json).isNotEmpty();
			}
		}
		assertThat(refused).isGreaterThan(300);
	}

	private static void change(JsonNode root, JsonNode node, List<String> changed) {
		List<JsonNode> others = List.of(MAPPER.readTree("true"), MAPPER.readTree("\"?\""), MAPPER.readTree("-1"),
				MAPPER.readTree("1.5"), MAPPER.readTree("[1]"), MAPPER.readTree("{\"?\":true}"));
		if (node instanceof ObjectNode object) {
			for (String name : List.copyOf(object.propertyNames())) {
				JsonNode value = object.get(name);
				for (JsonNode other : others) {
					object.set(name, other);
					changed.add(root.toString());
				}
				object.remove(name);
				changed.add(root.toString());
				object.set(name, value);
				change(root, value, changed);
			}
			object.put("unknown?", 1.5);
			changed.add(root.toString());
			object.remove("unknown?");
		}
		else if (node instanceof ArrayNode array) {
			for (int i = 0; i < array.size(); i++) {
				JsonNode value = array.get(i);
				for (JsonNode other : others) {
					array.set(i, other);
					changed.add(root.toString());
				}
				array.set(i, value);
				change(root, value, changed);
			}
		}
	}

}
