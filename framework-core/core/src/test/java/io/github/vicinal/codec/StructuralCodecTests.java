package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Values of one side's classes become values of the other side's, by either codec, as
 * they do in JSON: written by one mapper, read by the other.
 */
@Tag("every-jdk")
class StructuralCodecTests {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final List<Type> CLIENT = List.of(Order.class, Line.class, Wide.class, Tree.class);

	private static final List<Type> SERVER = List.of(Purchase.class, Row.class, Broad.class, Node.class);

	private final Contract client = contract(CLIENT);

	private final Contract server = contract(SERVER);

	private static Contract contract(List<Type> types) {
		List<ContractMethod> methods = new java.util.ArrayList<>();
		for (Type type : types) {
			methods.add(new ContractMethod(methods.size(), StructuralCodecTests.class.getDeclaredMethods()[0],
					"method " + methods.size(), List.of(type, String.class), type, false, null, Set.of(1)));
		}
		return Contract.structural((Class<?>) types.get(0), methods, "0123456789abcdef");
	}

	@Test
	void bothSidesHaveOneStructure() {
		JsonStructure json = new JsonStructure(MAPPER);
		for (int i = 0; i < CLIENT.size(); i++) {
			assertThat(json.of(CLIENT.get(i)).reason()).isEmpty();
			assertThat(json.of(CLIENT.get(i))).isEqualTo(json.of(SERVER.get(i)));
		}
	}

	@Test
	void bothSidesOfferTheFlatFormat() {
		assertThat(new Codecs(MAPPER, true).offers(this.client)).contains("flat");
		assertThat(new Codecs(MAPPER, true).offers(this.server)).contains("flat");
	}

	@Property(tries = 400)
	void flatCarriesWhatJsonCarries(@ForAll long seed) {
		compare(new FlatCodec(this.client, 500), new FlatCodec(this.server, 500), seed);
	}

	@Property(tries = 100)
	void jacksonCarriesWhatJsonCarries(@ForAll long seed) {
		compare(new JacksonCodec(this.client, MAPPER), new JacksonCodec(this.server, MAPPER), seed);
	}

	private void compare(ContractCodec ofClient, ContractCodec ofServer, long seed) {
		for (int i = 0; i < CLIENT.size(); i++) {
			ContractMethod asked = this.client.methods().get(i);
			ContractMethod answered = this.server.methods().get(i);
			Object[] sent = RandomValues.arguments(asked, seed);
			byte[] bytes = TestContracts.arguments(ofClient, asked, sent);
			Object[] arrived = ofServer.decodeArguments(answered, bytes, 0, bytes.length);
			assertThat(arrived[1]).isEqualTo(sent[1]);
			assertSame(arrived[0], oracle(sent[0], SERVER.get(i)));
			byte[] result = TestContracts.result(ofServer, answered, arrived[0]);
			assertSame(ofClient.decodeResult(asked, result, 0, result.length), oracle(arrived[0], CLIENT.get(i)));
		}
	}

	private static Object oracle(Object value, Type reader) {
		return MAPPER.readValue(MAPPER.writeValueAsBytes(value), MAPPER.constructType(reader));
	}

	private static void assertSame(Object actual, Object expected) {
		assertThat(TransparentTypesTests.same(actual, expected)).as("%s / %s", actual, expected).isTrue();
	}

	record Line(String name, int count, BigDecimal price) {
	}

	record Row(BigDecimal price, String name, int count) {
	}

	enum State {

		OPEN, PAID, SENT

	}

	enum Stage {

		OPEN, PAID, SENT

	}

	record Order(UUID id, List<Line> lines, State state, Set<State> states, Map<String, Line> byName,
			Map<State, Long> counts, long[] marks, Line[] more, Instant at, LocalDate day, Duration took,
			Boolean open) {
	}

	record Purchase(Boolean open, LocalDate day, Instant at, Map<Stage, Long> counts, Row[] more,
			LinkedHashMap<String, Row> byName, UUID id, Collection<Row> lines, Stage state, long[] marks, Duration took,
			Set<Stage> states) {
	}

	/** More components than a record may have to get code of its own. */
	record Wide(int a, long b, String c, Line d, double e, float f, byte g, short h, char i, boolean j, String k,
			Integer l, Long m, Double n) {
	}

	record Broad(Double n, Long m, Integer l, String k, boolean j, char i, short h, byte g, float f, double e, Row d,
			String c, long b, int a) {
	}

	record Tree(String label, List<Tree> children, Tree next) {
	}

	record Node(Node next, List<Node> children, String label) {
	}

	static {
		assertThat(Arrays.asList(State.values()).toString()).isEqualTo(Arrays.asList(Stage.values()).toString());
	}

}
