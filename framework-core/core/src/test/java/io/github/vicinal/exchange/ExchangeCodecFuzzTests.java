package io.github.vicinal.exchange;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.github.vicinal.codec.CodecException;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Push;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import io.github.vicinal.testing.property.Size;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that another process wrote are read as they are, or refused. */
class ExchangeCodecFuzzTests {

	private static final ContractMethod BEGIN = HttpExchanges.Contracts.method("begin");

	private static final ContractMethod PUSH = HttpExchanges.Contracts.method("push");

	private final ExchangeCodec codec = new ExchangeCodec();

	/** Nothing but the codec's own exception, and no value that breaks a rule. */
	private void readsOrRefuses(byte[] bytes) {
		for (ContractMethod method : HttpExchanges.contract().methods()) {
			try {
				Object message = this.codec.decodeArguments(method, bytes, 0, bytes.length)[0];
				assertThat(message).isInstanceOf((Class<?>) method.argumentTypes().get(0));
			}
			catch (CodecException ex) {
				assertThat(ex).hasMessageNotContaining("null");
			}
			try {
				if (this.codec.decodeResult(method, bytes, 0, bytes.length) instanceof Answer answer
						&& answer.head() != null) {
					assertThat(answer.head().status()).isBetween(100, 999);
				}
			}
			catch (CodecException ex) {
				assertThat(ex).hasMessageNotContaining("null");
			}
		}
	}

	@Property(tries = 3000)
	void randomBytes(@ForAll @Size(max = 200) byte[] bytes) {
		readsOrRefuses(bytes);
	}

	@Property(tries = 3000)
	void aChangedMessage(@ForAll @IntRange(max = 200) int at, @ForAll byte value,
			@ForAll @IntRange(max = 200) int cut) {
		EncodeBuffer out = new EncodeBuffer(64);
		this.codec.encodeArguments(BEGIN, new Object[] { begin(new byte[40]) }, out);
		byte[] bytes = Arrays.copyOf(out.array(), out.size());
		bytes[at % bytes.length] = value;
		readsOrRefuses(bytes);
		readsOrRefuses(Arrays.copyOf(bytes, cut % (bytes.length + 1)));
		EncodeBuffer answer = new EncodeBuffer(64);
		this.codec.encodeResult(BEGIN, new Answer(7, head(), ByteBuffer.wrap(new byte[10]), End.OPEN), answer);
		byte[] answered = Arrays.copyOf(answer.array(), answer.size());
		answered[at % answered.length] = value;
		readsOrRefuses(answered);
		readsOrRefuses(Arrays.copyOf(answered, cut % (answered.length + 1)));
	}

	private static Begin begin(byte[] body) {
		HttpFields fields = HttpFields.builder().add("Host", "localhost").add("X-A", "ä").add("X-A", "").build();
		return new Begin(new RequestHead("POST", "/a?b=c", fields), ByteBuffer.wrap(body), true);
	}

	private static ResponseHead head() {
		return new ResponseHead(201, "Created", HttpFields.builder().add("Content-Type", "text/plain").build());
	}

	@Property(tries = 500)
	void messagesComeBack(@ForAll("begins") Begin begin, @ForAll @Size(max = 100) byte[] bytes, @ForAll long number,
			@ForAll boolean last) {
		EncodeBuffer out = new EncodeBuffer(16);
		// Behind other bytes, as in a frame.
		out.write(1);
		this.codec.encodeArguments(BEGIN, new Object[] { begin }, out);
		assertThat(this.codec.decodeArguments(BEGIN, out.array(), 1, out.size() - 1)[0]).isEqualTo(begin);
		out.size(0);
		Push push = new Push(number, ByteBuffer.wrap(bytes), last);
		this.codec.encodeArguments(PUSH, new Object[] { push }, out);
		assertThat(this.codec.decodeArguments(PUSH, out.array(), 0, out.size())[0]).isEqualTo(push);
		out.size(0);
		Answer answer = new Answer(number, last ? head() : null, ByteBuffer.wrap(bytes), End.CUT_OFF);
		this.codec.encodeResult(PUSH, answer, out);
		assertThat(this.codec.decodeResult(PUSH, out.array(), 0, out.size())).isEqualTo(answer);
	}

	Begin begins(Gen gen) {
		HttpFields.Builder fields = HttpFields.builder();
		int count = gen.integer(0, 5);
		for (int i = 0; i < count; i++) {
			fields.add(latin(gen), latin(gen));
		}
		return new Begin(new RequestHead(latin(gen), latin(gen), fields.build()),
				ByteBuffer.wrap(new byte[gen.integer(0, 300)]), gen.integer(0, 1) == 0);
	}

	/** The characters that HTTP can carry. */
	private static String latin(Gen gen) {
		StringBuilder text = new StringBuilder();
		int length = gen.integer(0, 40);
		for (int i = 0; i < length; i++) {
			text.append((char) gen.integer(0, 255));
		}
		return text.toString();
	}

}
