package io.github.vicinal.codec;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.sun.management.ThreadMXBean;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** Bytes that a peer may have forged end in a value or in a {@link CodecException}. */
class CodecFuzzTests {

	/** Ends a codec that hangs on forged bytes, also on a busy machine. */
	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final int ROUNDS = 20_000;

	private final Contract contract = TestContracts.of(Transparent.class);

	private final ContractCodec jackson = new JacksonCodec(this.contract, JsonMapper.builder().build());

	private final ContractCodec flat = new FlatCodec(this.contract, 500);

	@Test
	void jacksonAnswersForgedBytes() {
		assertTimeoutPreemptively(LIMIT, () -> fuzz(this.jackson, 1));
	}

	@Test
	void flatAnswersForgedBytes() {
		assertTimeoutPreemptively(LIMIT, () -> fuzz(this.flat, 2));
	}

	private void fuzz(ContractCodec codec, long seed) {
		Random random = new Random(seed);
		List<ContractMethod> methods = this.contract.methods();
		List<List<byte[]>> seeds = new ArrayList<>();
		for (ContractMethod method : methods) {
			seeds.add(seeds(codec, method));
		}
		int refused = 0;
		for (int i = 0; i < ROUNDS; i++) {
			ContractMethod method = methods.get(random.nextInt(methods.size()));
			List<byte[]> examples = seeds.get(method.index());
			byte[] bytes = mutate(random, examples.get(random.nextInt(examples.size())));
			refused += refuses(() -> codec.decodeArguments(method, bytes, 0, bytes.length));
			refused += refuses(() -> codec.decodeResult(method, bytes, 0, bytes.length));
		}
		assertThat(refused).isGreaterThan(ROUNDS / 4);
	}

	private static int refuses(Runnable decoding) {
		try {
			decoding.run();
			return 0;
		}
		catch (CodecException ex) {
			return 1;
		}
	}

	private static List<byte[]> seeds(ContractCodec codec, ContractMethod method) {
		List<byte[]> seeds = new ArrayList<>();
		for (long seed = 0; seed < 20; seed++) {
			seeds.add(TestContracts.arguments(codec, method, RandomValues.arguments(method, seed)));
		}
		return seeds;
	}

	private static byte[] mutate(Random random, byte[] source) {
		byte[] bytes = source.clone();
		int changes = random.nextInt(6);
		for (int i = 0; i < changes && bytes.length > 0; i++) {
			int at = random.nextInt(bytes.length);
			switch (random.nextInt(5)) {
				case 0 -> bytes[at] = (byte) random.nextInt();
				case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
				case 2 -> bytes = Arrays.copyOf(bytes, at);
				case 3 -> {
					// what a large size looks like
					byte[] forged = { (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) random.nextInt(16) };
					System.arraycopy(forged, 0, bytes, at, Math.min(forged.length, bytes.length - at));
				}
				default -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(9));
			}
		}
		return bytes;
	}

	@Test
	void forgedSizesAreRefusedBeforeAnythingIsAllocated() {
		byte[] huge = { 1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7, 1, 1 };
		for (String name : List.of("list", "map", "set", "strings", "wildcards", "containers", "arrays", "keys",
				"numbers")) {
			ContractMethod method = TestContracts.method(this.contract, name);
			for (int head = 1; head < 4; head++) {
				byte[] bytes = new byte[64];
				Arrays.fill(bytes, (byte) 1);
				System.arraycopy(huge, 0, bytes, head, huge.length);
				assertThatExceptionOfType(CodecException.class)
					.isThrownBy(() -> this.flat.decodeResult(method, bytes, 0, bytes.length));
			}
		}
	}

	/** Each list claims all bytes that are left, as if each byte held a null. */
	@Test
	void nestedListsCannotClaimTheSameBytesTwice() {
		ContractMethod method = TestContracts.method(this.contract, "node");
		byte[] bytes = new byte[200_000];
		EncodeBuffer forged = new EncodeBuffer(bytes.length);
		while (forged.size() < 200 * 9) {
			forged.write(1); // a node
			forged.writeVarInt(7);
			forged.write(0); // no next
			forged.write(1); // children
			forged.writeUnsigned(bytes.length - 200 * 9);
		}
		System.arraycopy(forged.array(), 0, bytes, 0, forged.size());
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long allocated = Long.MAX_VALUE;
		// The first time also loads classes.
		for (int i = 0; i < 2; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> this.flat.decodeResult(method, bytes, 0, bytes.length));
			allocated = threads.getCurrentThreadAllocatedBytes() - before;
		}
		assertThat(allocated).isLessThan(16L * bytes.length);
	}

	@Test
	void textsOfForgedLengthAreRefusedBeforeAnythingIsAllocated() {
		ContractMethod method = TestContracts.method(this.contract, "named");
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		for (int header : new int[] { -1, -2, Integer.MAX_VALUE, Integer.MAX_VALUE - 1, 200, 201 }) {
			EncodeBuffer forged = new EncodeBuffer(64);
			forged.write(1); // the record
			forged.write(1); // its first component
			forged.write(1); // a text
			forged.writeUnsigned(header);
			forged.write(new byte[20], 0, 20);
			long before = threads.getCurrentThreadAllocatedBytes();
			assertThatExceptionOfType(CodecException.class).as("header %d", header)
				.isThrownBy(() -> this.flat.decodeResult(method, forged.array(), 0, forged.size()))
				.withMessageContaining("bytes are left");
			assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000_000);
		}
	}

	@Test
	void endlessNestingIsRefusedByBoth() {
		ContractMethod method = TestContracts.method(this.contract, "node");
		byte[] bytes = new byte[100_000];
		for (int i = 0; i + 1 < bytes.length; i += 2) {
			bytes[i] = 1;
			bytes[i + 1] = 0;
		}
		assertThatExceptionOfType(CodecException.class)
			.isThrownBy(() -> this.flat.decodeResult(method, bytes, 0, bytes.length))
			.withMessageContaining("500");
		String json = "{\"next\":".repeat(10_000);
		assertThatExceptionOfType(CodecException.class).isThrownBy(() -> this.jackson.decodeResult(method,
				json.getBytes(java.nio.charset.StandardCharsets.UTF_8), 0, json.length()));
	}

	@Test
	void bothStopAtTheSameDepth() {
		ContractMethod method = TestContracts.method(this.contract, "node");
		for (int depth : new int[] { 499, 500, 501, 600 }) {
			Transparent.Node node = null;
			for (int i = 0; i < depth; i++) {
				node = new Transparent.Node(i, node, null);
			}
			Transparent.Node value = node;
			assertThat(refuses(() -> TestContracts.result(this.flat, method, value))).as("depth %d", depth)
				.isEqualTo(refuses(() -> TestContracts.result(this.jackson, method, value)));
		}
	}

	@Test
	void wrongValuesFailBeforeAnyByteLeaves() {
		EncodeBuffer out = new EncodeBuffer(8);
		ContractMethod method = TestContracts.method(this.contract, "list");
		for (Object wrong : new Object[] { "text", List.of("text"), Map.of(), List.of(new Transparent.Empty()) }) {
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> this.flat.encodeResult(method, wrong, out));
			assertThat(out.size()).isZero();
		}
		ContractMethod numbers = TestContracts.method(this.contract, "numbers");
		Object subclass = new Transparent.Numbers(new java.math.BigDecimal("1") {
		}, null, 0, 0);
		assertThatExceptionOfType(CodecException.class)
			.isThrownBy(() -> this.flat.encodeArguments(numbers, new Object[] { subclass }, out))
			.withMessageContaining("java.math.BigDecimal");
		assertThat(out.size()).isZero();
		ContractMethod add = TestContracts.method(this.contract, "add");
		for (ContractCodec codec : List.of(this.jackson, this.flat)) {
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> codec.encodeArguments(add, new Object[] { 1 }, out));
		}
	}

	@Test
	void valueThatOutgrowsTheBufferIsComplete() {
		ContractMethod method = TestContracts.method(this.contract, "map");
		Map<String, List<Integer>> value = Map.of("key".repeat(100_000), List.of(1, 2), "other", List.of());
		byte[] bytes = TestContracts.result(this.flat, method, value);
		assertThat(this.flat.decodeResult(method, bytes, 0, bytes.length)).isEqualTo(value);
	}

}
