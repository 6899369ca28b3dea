package io.github.vicinal.codec;

import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The owner of a buffer's bound is asked before anything is allocated for a large value.
 */
class EncodeGrowthTests {

	private static final Contract CONTRACT = TestContracts.of(Large.class);

	private static final int MANY = 12_000_000;

	private static final int MOST_BYTES = 512 * 1024;

	/** Values of which there can be many. */
	interface Large {

		Named named(Named value);

		String text(String value);

		String[] strings(String[] value);

		int[] ints(int[] value);

		double[] doubles(double[] value);

		List<Integer> numbers(List<Integer> value);

		List<Color> colors(List<Color> value);

		List<Named> many(List<Named> value);

		Map<String, Nested> nested(Map<String, Nested> value);

		Set<Long> set(Set<Long> value);

	}

	/** A value with a text. */
	record Named(int id, String name) {
	}

	/** A value within a value. */
	record Nested(Named named, List<String> more) {
	}

	/** A constant. */
	enum Color {

		RED

	}

	static Stream<Arguments> values() {
		String latin = "ä".repeat(MANY);
		String wide = "€".repeat(MANY);
		Named small = new Named(1, "small");
		return Stream.of(Arguments.of("named", new Named(1, latin)), Arguments.of("named", new Named(1, wide)),
				Arguments.of("text", latin), Arguments.of("text", wide),
				Arguments.of("strings", Collections.nCopies(MANY, "x").toArray(String[]::new)),
				Arguments.of("ints", new int[MANY]), Arguments.of("doubles", new double[MANY]),
				Arguments.of("numbers", Collections.nCopies(MANY, 7)),
				Arguments.of("colors", Collections.nCopies(MANY, Color.RED)),
				Arguments.of("many", Collections.nCopies(MANY, small)),
				Arguments.of("nested", Map.of("key", new Nested(small, Collections.nCopies(MANY, "x")))));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("values")
	void nothingIsAllocatedBeyondWhatIsGranted(String name, Object value) {
		ContractMethod method = CONTRACT.methods()
			.stream()
			.filter((each) -> each.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		for (ContractCodec codec : List.of(new FlatCodec(CONTRACT, 500),
				new JacksonCodec(CONTRACT, JsonMapper.builder().build()))) {
			// Compiles serializers.
			codec.encodeResult(method, null, new EncodeBuffer(64));
			EncodeBuffer out = new EncodeBuffer(64, (grown) -> {
				if (grown > MOST_BYTES) {
					throw new IllegalStateException("no more than " + MOST_BYTES);
				}
			});
			long allocated = Long.MAX_VALUE;
			// The first time also loads classes.
			for (int i = 0; i < 2; i++) {
				out.clear(64);
				long before = threads.getCurrentThreadAllocatedBytes();
				assertThatExceptionOfType(RuntimeException.class).as(codec.name())
					.isThrownBy(() -> codec.encodeArguments(method, new Object[] { value }, out))
					.withStackTraceContaining("no more than");
				allocated = threads.getCurrentThreadAllocatedBytes() - before;
			}
			assertThat(allocated).as(codec.name()).isLessThan(20L * MOST_BYTES);
			assertThat(out.array().length).as(codec.name()).isLessThanOrEqualTo(MOST_BYTES);
		}
	}

}
