package io.github.vicinal.placement.model;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.verify.PlacementVerifier;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ModelTests {

	private static final String INSTANCE = "3 2 2\n500 512\n500 512\n500 512\n1000 2048\n1000 2048\n0 1 10\n1 2 1.5\n";

	private static final Objective CALLS = Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM);

	private static PlacementModel parse(String text) {
		try {
			return InstanceFormat.read(new StringReader(text), "test");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "\\u001b[31m|\\u001B[31m", "\\n- moved|\\u000A- moved", "\\u202e|\\u202E",
			"\\u2028|\\u2028", "\\ud800|\\uD800", "\\ufffe|\\uFFFE" })
	void namesThatCannotBePrintedAreShownAndRefused(String inJson, String shown) {
		for (String part : List.of("\"services\": [ { \"name\": \"a%s\" } ]", "\"hosts\": [ { \"name\": \"a%s\" } ]",
				"\"hosts\": [ { \"name\": \"h\", \"zone\": \"a%s\" } ]", "\"a%s\": 1",
				"\"services\": [ { \"name\": \"b\", \"pinnedTo\": [ \"a%s\" ] } ]",
				"\"services\": [ { \"name\": \"b\", \"demand\": { \"a%s\": 1 } } ]")) {
			String json = "{ \"format\": \"vicinal-placement-model\", \"version\": 1, " + part.formatted(inJson) + " }";
			assertThatExceptionOfType(InvalidModelException.class).as(json)
				.isThrownBy(() -> new ModelJson().read(json))
				.withMessageContaining("a" + shown)
				.satisfies((ex) -> assertThat(PrintableText.isPrintable(String.valueOf(ex.getMessage()))).isTrue());
		}
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new Service("a\u001b", 1, Resources.none()))
			.withMessageContaining("a\\u001B");
		assertThat(new Service("bücher 東京 \ud83d\ude80", 1, Resources.none()).name()).startsWith("bücher");
	}

	@Test
	void readsAnInstance() {
		PlacementModel model = parse(INSTANCE);
		assertThat(model.services()).hasSize(3);
		assertThat(model.hosts().get(1).available(Resources.MEMORY)).isEqualTo(2048);
		assertThat(model.edges()).containsExactly(Edge.calls("s0", "s1", 10), Edge.calls("s1", "s2", 1.5));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "0 1 10|0 1 0|line 7|not positive and finite", "0 1 10|0 1 -3|line 7|not positive and finite",
					"0 1 10|0 1 NaN|line 7|not positive and finite", "0 1 10|0 1 Infinity|line 7|not positive",
					"0 1 10|0 9 1|line 7|service 9 does not exist", "0 1 10|1 1 1|line 7|to itself",
					"0 1 10|0 1|line 7|should be edge 1 of 2", "3 2 2|3 2 3|line 9|truncated",
					"3 2 2|3 2 1|line 8|more than the first line announces", "500 512|500 x|line 2|not a whole number",
					"1000 2048|100 2048|s0|larger than any host" })
	void errorsAreNamedWithTheirLine(String good, String bad, String where, String what) {
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> parse(INSTANCE.replace(good, bad)))
			.withMessageContaining(where)
			.withMessageContaining(what);
	}

	@Property(tries = 500)
	void noTextBreaksTheInstanceParser(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed) {
		String text = mutate(INSTANCE, new Random(seed));
		try {
			assertThat(parse(text).services()).isNotEmpty();
		}
		catch (InvalidModelException ex) {
			assertThat(ex).hasMessageContaining("test");
		}
	}

	@Property(tries = 100)
	void jsonKeepsEverything(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas) {
		PlacementModel model = new RandomModels(seed, replicas, true).model(8, 3);
		assertThat(new ModelJson().read(new ModelJson().write(model))).isEqualTo(model);
	}

	@Property(tries = 250, deepTries = 500)
	void noTextBreaksTheJsonReader(@ForAll @LongRange(min = 0, max = 1_000_000_000) long seed) {
		String json = new ModelJson().write(new RandomModels(seed % 50, true, true).model(4, 2));
		String text = mutate(json, new Random(seed));
		try {
			assertThat(new ModelJson().read(text).services()).isNotEmpty();
		}
		catch (InvalidModelException ex) {
			assertThat(ex.getMessage()).isNotBlank();
		}
	}

	@Test
	void oneHostAndOneReplicaAreSingular() {
		Host host = new Host("h", "", Resources.of(1000, 1000), Resources.none(), 1);
		Service two = new Service("a", 2, Resources.of(1, 1));
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> model(List.of(two), List.of(host), List.of()))
			.withMessageContaining("'a' has 2 replicas, but its only possible host takes at most 1 of them");
		Host large = new Host("h", "", Resources.of(1000, 1000), Resources.none(), 9);
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> model(List.of(new Service("a", 5, Resources.of(1, 1))), List.of(large),
					List.of(new Separation(List.of("a"), Separation.Scope.HOST, "", 2))))
			.withMessageContaining("Service [a] has 5 replicas, but their only possible host takes at most 2 of them.");
		Host other = new Host("i", "", Resources.of(1000, 1000), Resources.none(), 1);
		Service one = new Service("b", 1, Resources.of(1, 1), Set.of(), 1, Set.of(), Set.of());
		assertThat(new PlacementVerifier()
			.verify(model(List.of(one), List.of(host, other), List.of()), new Plan(Map.of("b", Map.of("h", 2))))
			.violations()).contains("'b' has 1 replica, the plan places 2",
					"'h' takes 1 replica, the plan puts 2 on it",
					"'b' may have 1 replica on a host, the plan puts 2 on 'h'");
	}

	private static PlacementModel model(List<Service> services, List<Host> hosts, List<Separation> separations) {
		return new PlacementModel(services, hosts, List.of(), separations, PathCosts.defaults(), CALLS, null);
	}

	@TempDir
	Path directory = Path.of("");

	/** Long lists are read element by element; what is wrong is named as before. */
	@Test
	void jsonIsReadFromFilesElementByElement() throws IOException {
		PlacementModel model = new RandomModels(7, true, true).model(12, 4);
		Path file = Files.writeString(this.directory.resolve("model.json"), new ModelJson().write(model));
		assertThat(new ModelJson().read(file)).isEqualTo(model);
		String json = Files.readString(file);
		for (String[] wrong : new String[][] { { json + " 1", "more after the end" }, { json + "]", "no JSON" },
				{ json.substring(0, json.length() / 2), "no JSON" }, { "[]", "there should be an object, not []" },
				{ "", "The model is empty" }, { "{\"edges\": 5}", "edges should be a list, not 5" },
				{ "{\"edges\": [7]}", "edges[0]" } }) {
			Files.writeString(file, wrong[0]);
			assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new ModelJson().read(file))
				.withMessageStartingWith("model.json: ")
				.withMessageContaining(wrong[1]);
		}
		assertThatExceptionOfType(NoSuchFileException.class)
			.isThrownBy(() -> new ModelJson().read(this.directory.resolve("none.json")));
	}

	private static String mutate(String text, Random random) {
		StringBuilder mutated = new StringBuilder(text);
		for (int i = 0; i < 1 + random.nextInt(3); i++) {
			int at = random.nextInt(mutated.length());
			switch (random.nextInt(5)) {
				case 0 -> mutated.setLength(Math.max(1, at));
				case 1 -> mutated.setCharAt(at, (char) (32 + random.nextInt(95)));
				case 2 -> mutated.insert(at, random.nextLong());
				case 3 -> mutated.deleteCharAt(at);
				default -> mutated.insert(at, random.nextBoolean() ? "null" : "-1e999");
			}
			if (mutated.length() == 0) {
				return "0";
			}
		}
		return mutated.toString();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', value = { "{}|begins with \"format\"", "[1]|should be an object",
			"{|no JSON", "{\"format\":\"vicinal-placement-model\",\"version\":2}|version",
			"{\"format\":\"vicinal-placement-model\",\"version\":1,\"servces\":[]}|'servces' is not known",
			"{\"format\":\"vicinal-placement-model\",\"version\":1,\"services\":[{\"name\":\"a\",\"replicas\":0}]}|services[0].replicas is 0",
			"{\"format\":\"vicinal-placement-model\",\"version\":1,\"services\":[{\"name\":\"a\",\"demand\":{\"cpuMillis\":1.5}}]}|services[0].demand.cpuMillis is 1.5" })
	void jsonErrorsNameTheMember(String json, String what) {
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new ModelJson().read(json))
			.withMessageContaining(what);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-", "" })
	void numbersThatNoDoubleHoldsAreNamed(String sign) {
		String huge = sign + "9".repeat(400);
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new ModelJson().read(edge(huge)))
			.withMessageStartingWith("In edges[0]: callsPerSecond is " + sign + "999")
			.withMessageEndingWith("which has more digits than the 308 that there may be")
			.withNoCause();
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> new ModelJson().read(edge("NaN")))
			.withMessageContaining("no JSON")
			.withMessageNotContainingAny("Feature", "enable");
	}

	private static String edge(String calls) {
		return "{\"edges\": [{\"from\": \"a\", \"to\": \"b\", \"callsPerSecond\": %s}]}".formatted(calls);
	}

	private static Service service(String name, long cpu, String... pins) {
		return new Service(name, 1, Resources.of(cpu, 1), Set.of(), Integer.MAX_VALUE, Set.of(), Set.of(pins));
	}

	private static Host host(String name, String zone, long cpu) {
		return new Host(name, zone, Resources.of(cpu, 100), Resources.none(), Integer.MAX_VALUE);
	}

	private static List<String> culprits(List<Service> services, List<Host> hosts, Separation... separations) {
		InvalidModelException refusal = catchThrowableOfType(InvalidModelException.class,
				() -> new PlacementModel(services, hosts, List.of(), List.of(separations), PathCosts.defaults(), CALLS,
						null));
		assertThat(refusal).isNotNull();
		return refusal.culprits();
	}

	@Test
	void theSmallestConflictingSetIsNamed() {
		List<Host> two = List.of(host("x", "1", 10), host("y", "2", 10));
		assertThat(culprits(List.of(service("a", 1), service("big", 11)), two)).containsExactly("big");
		assertThat(culprits(List.of(service("a", 1, "x"), service("b", 8, "x"), service("c", 7, "x")), two))
			.containsExactly("b", "c");
		assertThat(culprits(List.of(service("a", 1), service("b", 1), service("c", 1), service("d", 1)), two,
				new Separation(List.of("a", "b", "c", "d"), Separation.Scope.HOST, "")))
			.hasSize(3);
		assertThat(culprits(List.of(service("a", 1, "x"), service("b", 1), service("c", 1, "x")), two,
				new Separation(List.of("a", "b", "c"), Separation.Scope.HOST, "")))
			.containsExactly("a", "c");
		assertThat(culprits(List.of(service("a", 1), service("b", 1), service("c", 1)),
				List.of(host("x", "1", 10), host("y", "1", 10), host("z", "2", 10)),
				new Separation(List.of("a", "b", "c"), Separation.Scope.ZONE, "")))
			.hasSize(3);
		assertThat(culprits(List.of(service("a", 8), service("b", 8), service("c", 8)), two)).hasSize(3);
		Service ported = new Service("p", 3, Resources.of(1, 1), Set.of(80), Integer.MAX_VALUE, Set.of(), Set.of());
		assertThat(culprits(List.of(ported), two)).containsExactly("p");
		assertThat(culprits(List.of(service("a", 1, "gone")), two)).containsExactly("a", "gone");
	}

	/** Two members of the same name are refused, since the first one would be lost. */
	@Test
	void membersThatAreThereTwiceAreRefused() {
		String model = "{ \"format\": \"vicinal-placement-model\", \"version\": 1, %s }";
		String parts = "\"services\": [ { \"name\": \"a\" } ], \"hosts\": [ { \"name\": \"x\" } ]";
		for (String twice : List.of("\"services\": [ { \"name\": \"b\" } ]",
				"\"current\": { \"a\": { \"x\": 1 }, \"a\": { \"x\": 2 } }",
				"\"edges\": [ { \"from\": \"a\", \"to\": \"a\", \"from\": \"b\" } ]")) {
			assertThatExceptionOfType(InvalidModelException.class).as(twice)
				.isThrownBy(() -> new ModelJson().read(model.formatted(parts + ", " + twice)))
				.withMessageContaining("line 1");
		}
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new ModelJson().read("{ \"format\": \"vicinal-placement-model\", \"services\": [ {"))
			.withMessageNotContaining("Source");
	}

	@Test
	void wrongFiguresAreRefused() {
		for (double wrong : new double[] { -1, Double.NaN, Double.POSITIVE_INFINITY }) {
			assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> Edge.calls("a", "b", wrong))
				.withMessageContaining("callsPerSecond")
				.withMessageContaining("'a' -> 'b'");
		}
		List<Host> one = List.of(host("x", "", 10));
		assertThatExceptionOfType(InvalidModelException.class)
			.isThrownBy(() -> new PlacementModel(List.of(service("a", 1)), one, List.of(Edge.calls("a", "ghost", 1)),
					List.of(), PathCosts.defaults(), CALLS, null))
			.withMessageContaining("'ghost'");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> CALLS.weighted(0, 0, 0, 0))
			.withMessageContaining("one of the first four positive");
		assertThatExceptionOfType(InvalidModelException.class).isThrownBy(() -> EdgeWeight.of("bytes"))
			.withMessageContaining("application-bytes");
	}

	@Test
	void movesCountReplicasNotTheirNumbers() {
		Plan before = new Plan(Map.of("a", Map.of("x", 2, "y", 1)));
		assertThat(before.movesTo(new Plan(Map.of("a", Map.of("x", 1, "y", 2))))).isEqualTo(1);
		assertThat(before.movesTo(new Plan(Map.of("a", Map.of("x", 2, "y", 2))))).isZero();
		assertThat(before.localShare("a", "a", Routing.LOCALITY)).isEqualTo(1.0);
	}

}
