package io.github.vicinal.codec;

import java.util.List;
import java.util.Objects;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/**
 * The flat format, for contracts whose closure is transparent to JSON. The declared types
 * alone say what is written: neither names nor class ids travel, so that bytes can name
 * no class to load.
 * <p>
 * Each declared type has a {@link Shape}. A value comes back as the class that JSON would
 * make of it, whichever list implementation the caller happened to use.
 */
final class FlatCodec implements ContractCodec {

	static final String NAME = "flat";

	private final List<Binding> bindings;

	/**
	 * Creates a codec.
	 * @param contract a contract with a transparent closure
	 * @param maxDepth how deeply arrays and objects may be nested in JSON
	 */
	FlatCodec(Contract contract, int maxDepth) {
		Shapes shapes = new Shapes(maxDepth, contract.isStructural());
		this.bindings = contract.methods().stream().map((method) -> new Binding(method, shapes)).toList();
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public void encodeArguments(ContractMethod method, @Nullable Object[] arguments, EncodeBuffer out) {
		JacksonCodec.checkCount(method, arguments.length);
		if (arguments.length == 0) {
			return;
		}
		Binding binding = binding(method);
		if (binding.rawArgument != null) {
			binding.rawArgument.encode(arguments[0], out);
			return;
		}
		int start = out.size();
		try {
			for (int i = 0; i < arguments.length; i++) {
				binding.arguments[i].writeNullable(out, arguments[i], 1);
			}
		}
		catch (RuntimeException | StackOverflowError ex) {
			out.size(start);
			throw JacksonCodec.failure("The arguments of %s cannot be written", method, ex);
		}
	}

	@Override
	public @Nullable Object[] decodeArguments(ContractMethod method, byte[] bytes, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		int count = method.argumentTypes().size();
		@Nullable Object[] arguments = new @Nullable Object[count];
		if (count == 0) {
			JacksonCodec.checkEmpty(method, length);
			return arguments;
		}
		Binding binding = binding(method);
		if (binding.rawArgument != null) {
			arguments[0] = binding.rawArgument.decode(bytes, offset, length);
			return arguments;
		}
		try {
			FlatInput in = new FlatInput(bytes, offset, length);
			for (int i = 0; i < count; i++) {
				arguments[i] = binding.arguments[i].readNullable(in, 1);
			}
			checkEnd(in);
			return arguments;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The arguments of %s cannot be read", method, ex);
		}
	}

	@Override
	public void encodeResult(ContractMethod method, @Nullable Object result, EncodeBuffer out) {
		Binding binding = binding(method);
		if (binding.rawResult != null) {
			binding.rawResult.encode(result, out);
			return;
		}
		if (binding.result == null) {
			return;
		}
		int start = out.size();
		try {
			binding.result.writeNullable(out, result, 0);
		}
		catch (RuntimeException | StackOverflowError ex) {
			out.size(start);
			throw JacksonCodec.failure("The result of %s cannot be written", method, ex);
		}
	}

	@Override
	public @Nullable Object decodeResult(ContractMethod method, byte[] bytes, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		Binding binding = binding(method);
		if (binding.rawResult != null) {
			return binding.rawResult.decode(bytes, offset, length);
		}
		if (binding.result == null) {
			JacksonCodec.checkEmpty(method, length);
			return null;
		}
		try {
			FlatInput in = new FlatInput(bytes, offset, length);
			Object result = binding.result.readNullable(in, 0);
			checkEnd(in);
			return result;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The result of %s cannot be read", method, ex);
		}
	}

	private Binding binding(ContractMethod method) {
		return this.bindings.get(method.index());
	}

	private static void checkEnd(FlatInput in) {
		if (in.remaining() != 0) {
			throw new CodecException("%d bytes follow the value".formatted(in.remaining()), null);
		}
	}

	/** The shapes of a method's arguments and of its result. */
	private static final class Binding {

		final Shape[] arguments;

		final @Nullable Shape result;

		final @Nullable RawBody rawArgument;

		final @Nullable RawBody rawResult;

		Binding(ContractMethod method, Shapes shapes) {
			boolean http = method.httpOnlyReason() != null;
			boolean nothing = http || method.resultType() == void.class || method.resultType() == Void.class;
			this.arguments = http ? new Shape[0]
					: method.argumentTypes().stream().map(shapes::of).toArray(Shape[]::new);
			this.result = nothing ? null : shapes.of(method.resultType());
			this.rawArgument = (method.argumentTypes().size() == 1) ? RawBody.of(method.argumentTypes().get(0)) : null;
			this.rawResult = RawBody.of(method.resultType());
		}

	}

}
