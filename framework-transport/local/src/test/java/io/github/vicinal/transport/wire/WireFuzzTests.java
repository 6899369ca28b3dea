package io.github.vicinal.transport.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import io.github.vicinal.testing.property.Size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** Each parser, fed with anything, accepts it or refuses it, and does nothing else. */
class WireFuzzTests {

	private static final WireLimits LIMITS = new WireLimits(1 << 20, 16, 4096);

	private static void acceptsOrRefuses(Parser parser) {
		try {
			parser.parse();
		}
		catch (WireException ex) {
			assertThat(ex.text()).isNotBlank();
		}
	}

	@Property(tries = 2000)
	void frameHeaderFromRandomBytes(@ForAll @Size(FrameDescriptor.HEADER_BYTES) byte[] bytes) {
		acceptsOrRefuses(() -> FrameDescriptor.read(ByteBuffer.wrap(bytes), new FrameHeader(), LIMITS));
	}

	@Property(tries = 2000)
	void frameHeaderFromAMutatedFrame(@ForAll @IntRange(max = FrameDescriptor.HEADER_BYTES - 1) int at,
			@ForAll byte value) {
		byte[] bytes = frame();
		bytes[at] = value;
		FrameHeader header = new FrameHeader();
		acceptsOrRefuses(() -> {
			FrameDescriptor.read(ByteBuffer.wrap(bytes), header, LIMITS);
			assertThat(header.length).isBetween(0, LIMITS.maxFrameBytes());
			assertThat(header.headerBlockLength).isBetween(0, header.length);
			assertThat(header.payloadLength()).isBetween(0, header.length);
		});
	}

	private static byte[] frame() {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(new byte[10], 0, 10);
		FrameDescriptor.headerBlockLength(out, start, 4);
		FrameDescriptor.correlation(out, start, 7);
		FrameDescriptor.binding(out, start, 1);
		FrameDescriptor.code(out, start, 2);
		FrameDescriptor.remaining(out, start, 1000);
		FrameDescriptor.end(out, start, FrameType.CALL);
		return out.array();
	}

	@Property(tries = 3000)
	void payloadsFromRandomBytes(@ForAll @Size(max = 80) byte[] bytes) {
		acceptsOrRefuses(() -> Payload.Hello.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Welcome.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Bind.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Bound.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Attach.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Attached.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Arena.read(reader(bytes)));
		acceptsOrRefuses(() -> Payload.Mapped.read(reader(bytes)));
		acceptsOrRefuses(() -> HeaderBlock.read(bytes, 0, bytes.length, LIMITS));
		acceptsOrRefuses(() -> HeaderBlock.readLists(bytes, 0, bytes.length, LIMITS));
	}

	private static PayloadReader reader(byte[] bytes) {
		return new PayloadReader(bytes, 0, bytes.length);
	}

	@Property(tries = 500)
	void headersComeBack(@ForAll("headers") Map<String, String> headers) throws Exception {
		EncodeBuffer out = new EncodeBuffer(16);
		Map<String, String> printable = new java.util.HashMap<>();
		headers.forEach((name, value) -> printable.put(utf8(name), utf8(value)));
		WireLimits wide = new WireLimits(1 << 20, 0xffff, 1 << 20);
		int length = HeaderBlock.write(out, printable, wide);
		assertThat(HeaderBlock.read(out.array(), 0, length, wide)).isEqualTo(printable);
	}

	Map<String, String> headers(Gen gen) {
		return gen.map(40, () -> gen.text(0, 100), () -> gen.text(0, 255));
	}

	@Property(tries = 300)
	void reasonsAreShortenedAfterACharacter(@ForAll @Size(max = 1500) String reason) throws Exception {
		EncodeBuffer out = new EncodeBuffer(16);
		Payload.writeReason(out, reason);
		String read = new PayloadReader(out.array(), 0, out.size()).readString();
		assertThat(out.size()).isLessThanOrEqualTo(1002);
		assertThat(utf8(reason)).startsWith(read);
		assertThat(utf8(reason).getBytes(java.nio.charset.StandardCharsets.UTF_8).length - (out.size() - 2))
			.as("is not shortened for nothing")
			.isLessThan((out.size() > 1002 - 4) ? Integer.MAX_VALUE : 1);
	}

	/** Lone surrogates are no text. */
	private static String utf8(String text) {
		return new String(text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
				java.nio.charset.StandardCharsets.UTF_8);
	}

	@Property(tries = 300)
	void tooManyOrTooLargeHeadersAreRefused(@ForAll @IntRange(min = 17, max = 40) int count) {
		Map<String, List<String>> many = Map.of("a", java.util.Collections.nCopies(count, "b"));
		acceptsOrRefuses(() -> HeaderBlock.writeLists(new EncodeBuffer(16), many, LIMITS));
		assertThatCode(() -> HeaderBlock.writeLists(new EncodeBuffer(16), many, LIMITS))
			.isInstanceOf(WireException.class);
		assertThatCode(() -> HeaderBlock.write(new EncodeBuffer(16), Map.of("a", "b".repeat(count * 1000)), LIMITS))
			.isInstanceOf(WireException.class);
	}

	/** One parser and its input. */
	@FunctionalInterface
	private interface Parser {

		void parse() throws WireException;

	}

}
