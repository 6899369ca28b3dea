package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by the application's own mapper: the arguments of a call are one array, a result
 * is one value. A body of bytes or text that travels alone is not JSON, as in HTTP.
 */
final class JacksonCodec implements ContractCodec {

	static final String NAME = "jackson";

	/** Mapper of arguments that are not bodies: the same on both sides. */
	private static final JsonMapper NEUTRAL = JsonMapper.builder().build();

	private final JsonMapper mapper;

	private final List<Binding> bindings;

	JacksonCodec(Contract contract, JsonMapper mapper) {
		this.mapper = mapper;
		this.bindings = contract.methods().stream().map((method) -> new Binding(method, mapper)).toList();
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public void encodeArguments(ContractMethod method, @Nullable Object[] arguments, EncodeBuffer out) {
		Binding binding = binding(method);
		checkCount(method, arguments.length);
		if (arguments.length == 0) {
			return;
		}
		if (binding.rawArgument != null) {
			binding.rawArgument.encode(arguments[0], out);
			return;
		}
		try (JsonGenerator generator = this.mapper.createGenerator(out)) {
			generator.writeStartArray();
			for (int i = 0; i < arguments.length; i++) {
				binding.argumentWriters[i].writeValue(generator, arguments[i]);
			}
			generator.writeEndArray();
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw failure("The arguments of %s cannot be written as JSON", method, ex);
		}
	}

	@Override
	public @Nullable Object[] decodeArguments(ContractMethod method, byte[] bytes, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		Binding binding = binding(method);
		int count = binding.argumentReaders.length;
		@Nullable Object[] arguments = new @Nullable Object[count];
		if (count == 0) {
			checkEmpty(method, length);
			return arguments;
		}
		if (binding.rawArgument != null) {
			arguments[0] = binding.rawArgument.decode(bytes, offset, length);
			return arguments;
		}
		try (JsonParser parser = this.mapper.createParser(bytes, offset, length)) {
			expect(parser.nextToken() == JsonToken.START_ARRAY, method, "they are not an array");
			for (int i = 0; i < count; i++) {
				expect(parser.nextToken() != JsonToken.END_ARRAY, method, "there are too few");
				arguments[i] = binding.argumentReaders[i].readValue(parser);
			}
			expect(parser.nextToken() == JsonToken.END_ARRAY, method, "there are too many");
			expect(parser.nextToken() == null, method, "something follows them");
			return arguments;
		}
		catch (CodecException ex) {
			throw ex;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw failure("The arguments of %s cannot be read", method, ex);
		}
	}

	@Override
	public void encodeResult(ContractMethod method, @Nullable Object result, EncodeBuffer out) {
		Binding binding = binding(method);
		if (binding.rawResult != null) {
			binding.rawResult.encode(result, out);
			return;
		}
		if (binding.resultWriter == null) {
			return;
		}
		try (JsonGenerator generator = this.mapper.createGenerator(out)) {
			binding.resultWriter.writeValue(generator, result);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw failure("The result of %s cannot be written as JSON", method, ex);
		}
	}

	@Override
	public @Nullable Object decodeResult(ContractMethod method, byte[] bytes, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		Binding binding = binding(method);
		if (binding.rawResult != null) {
			return binding.rawResult.decode(bytes, offset, length);
		}
		if (binding.resultReader == null) {
			checkEmpty(method, length);
			return null;
		}
		try (JsonParser parser = this.mapper.createParser(bytes, offset, length)) {
			expect(parser.nextToken() != null, method, "the result is empty");
			Object result = binding.resultReader.readValue(parser);
			expect(parser.nextToken() == null, method, "something follows the result");
			return result;
		}
		catch (CodecException ex) {
			throw ex;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw new UnreadableJsonException(failure("The result of %s cannot be read", method, ex),
					Arrays.copyOfRange(bytes, offset, offset + length));
		}
	}

	private Binding binding(ContractMethod method) {
		return this.bindings.get(method.index());
	}

	static void checkCount(ContractMethod method, int count) {
		if (count != method.argumentTypes().size()) {
			throw new CodecException(
					"%s takes %d arguments, not %d".formatted(method.signature(), method.argumentTypes().size(), count),
					null);
		}
	}

	static void checkEmpty(ContractMethod method, int length) {
		expect(length == 0, method, "%d bytes where none belong".formatted(length));
	}

	private static void expect(boolean condition, ContractMethod method, String otherwise) {
		if (!condition) {
			throw new CodecException("%s: %s".formatted(method.signature(), otherwise), null);
		}
	}

	static CodecException failure(String format, ContractMethod method, Throwable cause) {
		return new CodecException(format.formatted(method.signature()) + ": " + cause, cause);
	}

	/** Readers and writers of one method, made once. */
	private static final class Binding {

		final ObjectWriter[] argumentWriters;

		final ObjectReader[] argumentReaders;

		final @Nullable ObjectWriter resultWriter;

		final @Nullable ObjectReader resultReader;

		final @Nullable RawBody rawArgument;

		final @Nullable RawBody rawResult;

		Binding(ContractMethod method, JsonMapper mapper) {
			List<Type> types = method.argumentTypes();
			this.argumentWriters = new ObjectWriter[types.size()];
			this.argumentReaders = new ObjectReader[types.size()];
			for (int i = 0; i < types.size(); i++) {
				// The application's JSON settings do not apply to parameters.
				JsonMapper ofArgument = method.textArguments().contains(i) ? NEUTRAL : mapper;
				this.argumentWriters[i] = writer(ofArgument, types.get(i));
				this.argumentReaders[i] = reader(ofArgument, types.get(i));
			}
			boolean nothing = method.resultType() == void.class || method.resultType() == Void.class;
			this.resultWriter = nothing ? null : writer(mapper, method.resultType());
			this.resultReader = nothing ? null : reader(mapper, method.resultType());
			this.rawArgument = (types.size() == 1) ? RawBody.of(types.get(0)) : null;
			this.rawResult = RawBody.of(method.resultType());
		}

		/**
		 * Spring passes the declared type of containers only; other values are written by
		 * their runtime type.
		 */
		private static ObjectWriter writer(JsonMapper mapper, Type type) {
			JavaType javaType = mapper.constructType(type);
			ObjectWriter writer = (javaType.isContainerType() || javaType.isReferenceType())
					? mapper.writerFor(javaType) : mapper.writer();
			return writer.without(SerializationFeature.FLUSH_AFTER_WRITE_VALUE);
		}

		/** The end is checked after the last argument. */
		private static ObjectReader reader(JsonMapper mapper, Type type) {
			return mapper.readerFor(mapper.constructType(type)).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
		}

	}

}
