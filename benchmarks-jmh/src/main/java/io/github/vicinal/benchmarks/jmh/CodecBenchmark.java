package io.github.vicinal.benchmarks.jmh;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.json.JsonMapper;

/** Writes and reads one result of a call, by each codec. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CodecBenchmark {

	/** Name of the codec. */
	@Param({ "flat", "jackson" })
	public String codec = "flat";

	/** Method whose result is written and read. */
	@Param({ "point", "basket", "note", "deep", "order" })
	public String value = "point";

	@SuppressWarnings("NullAway.Init")
	private ContractCodec chosen;

	@SuppressWarnings("NullAway.Init")
	private ContractMethod method;

	@SuppressWarnings("NullAway.Init")
	private Object result;

	private final EncodeBuffer out = new EncodeBuffer(256 * 1024);

	private byte[] written = new byte[0];

	@Setup
	public void prepare() {
		Contract contract = Contract.of(Api.class,
				(type, each) -> new MethodDescription(List.of(each.getGenericParameterTypes()),
						each.getGenericReturnType(), false, null));
		this.chosen = new Codecs(JsonMapper.builder().build(), true).choose(contract, Set.of(this.codec)).codec();
		if (!this.chosen.name().equals(this.codec)) {
			throw new IllegalStateException("The codec is " + this.chosen.name());
		}
		this.method = contract.methods()
			.stream()
			.filter((each) -> each.method().getName().equals(this.value))
			.findFirst()
			.orElseThrow();
		this.result = result(this.value);
		encode();
		this.written = Arrays.copyOf(this.out.array(), this.out.size());
	}

	@Benchmark
	public int encode() {
		this.out.size(0);
		this.chosen.encodeResult(this.method, this.result, this.out);
		return this.out.size();
	}

	@Benchmark
	public @Nullable Object decode() {
		return this.chosen.decodeResult(this.method, this.written, 0, this.written.length);
	}

	private static Object result(String name) {
		return switch (name) {
			case "point" -> new Point(123_456, "Elisabeth", 17, -300, 0.25, true);
			case "basket" ->
				new Basket(new UUID(1, 2), "customer-4711", Status.PAID, Instant.ofEpochSecond(1_767_322_000), IntStream
					.range(0, 12)
					.mapToObj((i) -> new Item("ART-" + (1000 + i), "Fine article number %d of the shop".formatted(i),
							i + 1, new BigDecimal("19.%d".formatted(10 + i))))
					.toList());
			case "note" -> new Note(1, "eve", "Lorem ipsum dolor sit amet, \"quoted\" text. ".repeat(2300));
			case "deep" -> nested(3);
			case "order" -> new Order(1, "customer",
					IntStream.range(0, 1000)
						.mapToObj((i) -> new Line("article-%d-of-the-shop".formatted(i), i % 9 + 1, 1999L + i))
						.toList(),
					"please ring");
			default -> throw new IllegalArgumentException(name);
		};
	}

	private static Object nested(int levels) {
		List<Object> elements = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			elements.add((levels > 1) ? nested(levels - 1) : i * 1000);
		}
		return elements;
	}

	/** Results of typical sizes. */
	interface Api {

		/** A small record. */
		Point point();

		/** About 1 KB as JSON. */
		Basket basket();

		/** A text of 100 KB. */
		Note note();

		/** A thousand numbers in lists of lists. */
		List<List<List<Integer>>> deep();

		/** A thousand small records. */
		Order order();

	}

	record Point(long id, String name, int x, int y, double weight, boolean active) {
	}

	record Item(String article, String title, int count, BigDecimal price) {
	}

	enum Status {

		OPEN, PAID

	}

	record Basket(UUID id, String customer, Status status, Instant changed, List<Item> items) {
	}

	record Note(long id, String author, String text) {
	}

	record Line(String article, int count, long cents) {
	}

	record Order(long id, String customer, List<Line> lines, String comment) {
	}

}
