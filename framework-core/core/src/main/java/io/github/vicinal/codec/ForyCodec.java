package io.github.vicinal.codec;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.apache.fory.Fory;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.resolver.SharedRegistry;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;

/**
 * Fory for contracts whose closure is transparent to JSON. What is written follows from
 * the declared types alone: neither class names nor class ids travel, so that bytes can
 * name no class to load.
 * <p>
 * Fory's own generated serializers do records of final scalars. All that could come back
 * as another class than from JSON, such as the list implementation that the caller
 * happened to use, is done by {@link Shape}s.
 */
final class ForyCodec implements ContractCodec {

	static final String NAME = "fory";

	private static final byte[] NOTHING = new byte[0];

	private final Contract contract;

	private final int maxDepth;

	private final SharedRegistry registry = new SharedRegistry();

	/** Fory is not thread-safe, and its instances are dear: idle ones wait here. */
	private final AtomicReferenceArray<@Nullable Engine> idle = new AtomicReferenceArray<>(
			2 * Integer.highestOneBit(Runtime.getRuntime().availableProcessors() * 2 - 1));

	/**
	 * Creates a codec.
	 * @param contract a contract with a transparent closure
	 * @param maxDepth how deeply arrays and objects may be nested in JSON
	 */
	ForyCodec(Contract contract, int maxDepth) {
		this.contract = contract;
		this.maxDepth = maxDepth;
		release(new Engine());
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
		Engine engine = acquire();
		Binding binding = engine.bindings[method.index()];
		if (binding.rawArgument != null) {
			release(engine);
			binding.rawArgument.encode(arguments[0], out);
			return;
		}
		try {
			engine.beginWrite(out);
			for (int i = 0; i < arguments.length; i++) {
				binding.arguments[i].writeNullable(engine.writing, arguments[i], 1);
			}
			engine.endWrite(out);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The arguments of %s cannot be written by Fory", method, ex);
		}
		finally {
			engine.reset();
			release(engine);
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
		Engine engine = acquire();
		Binding binding = engine.bindings[method.index()];
		if (binding.rawArgument != null) {
			release(engine);
			arguments[0] = binding.rawArgument.decode(bytes, offset, length);
			return arguments;
		}
		try {
			engine.beginRead(bytes, offset, length);
			for (int i = 0; i < count; i++) {
				arguments[i] = binding.arguments[i].readNullable(engine.reading, 1);
			}
			engine.endRead();
			return arguments;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The arguments of %s cannot be read by Fory", method, ex);
		}
		finally {
			engine.reset();
			release(engine);
		}
	}

	@Override
	public void encodeResult(ContractMethod method, @Nullable Object result, EncodeBuffer out) {
		Engine engine = acquire();
		Binding binding = engine.bindings[method.index()];
		if (binding.rawResult != null || binding.result == null) {
			release(engine);
			if (binding.rawResult != null) {
				binding.rawResult.encode(result, out);
			}
			return;
		}
		try {
			engine.beginWrite(out);
			binding.result.writeNullable(engine.writing, result, 0);
			engine.endWrite(out);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The result of %s cannot be written by Fory", method, ex);
		}
		finally {
			engine.reset();
			release(engine);
		}
	}

	@Override
	public @Nullable Object decodeResult(ContractMethod method, byte[] bytes, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, bytes.length);
		Engine engine = acquire();
		Binding binding = engine.bindings[method.index()];
		if (binding.rawResult != null || binding.result == null) {
			release(engine);
			if (binding.rawResult != null) {
				return binding.rawResult.decode(bytes, offset, length);
			}
			JacksonCodec.checkEmpty(method, length);
			return null;
		}
		try {
			engine.beginRead(bytes, offset, length);
			Object result = binding.result.readNullable(engine.reading, 0);
			engine.endRead();
			return result;
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw JacksonCodec.failure("The result of %s cannot be read by Fory", method, ex);
		}
		finally {
			engine.reset();
			release(engine);
		}
	}

	private Engine acquire() {
		int slots = this.idle.length();
		int home = home(slots);
		for (int i = 0; i < slots; i++) {
			int slot = (home + i) & (slots - 1);
			if (this.idle.getPlain(slot) != null) {
				Engine engine = this.idle.getAndSet(slot, null);
				if (engine != null) {
					return engine;
				}
			}
		}
		return new Engine();
	}

	/** An engine that finds no empty slot is left to the garbage collector. */
	private void release(Engine engine) {
		int slots = this.idle.length();
		int home = home(slots);
		for (int i = 0; i < slots; i++) {
			int slot = (home + i) & (slots - 1);
			if (this.idle.getPlain(slot) == null && this.idle.compareAndSet(slot, null, engine)) {
				return;
			}
		}
	}

	@SuppressWarnings("deprecation")
	private static int home(int slots) {
		return (int) Thread.currentThread().getId() & (slots - 1);
	}

	/** One Fory with everything that is bound to it. Used by one thread at a time. */
	private final class Engine {

		final Fory fory;

		final MemoryBuffer buffer = MemoryBuffer.fromByteArray(NOTHING);

		final ForyOutput output;

		final WriteContext writing;

		final ReadContext reading;

		final Binding[] bindings;

		Engine() {
			this.fory = Fory.builder()
				.withXlang(false)
				.withRefTracking(false)
				.withCompatible(false)
				.withAsyncCompilation(false)
				.requireClassRegistration(true)
				.suppressClassRegistrationWarnings(true)
				.withClassLoader(ForyCodec.this.contract.type().getClassLoader())
				.withSharedRegistry(ForyCodec.this.registry)
				.build();
			for (Class<?> type : ForyCodec.this.contract.closure().types()) {
				if (type.isRecord() || type.isEnum()) {
					this.fory.register(type);
				}
			}
			this.output = new ForyOutput(this.buffer);
			this.writing = this.fory.getWriteContext();
			this.reading = this.fory.getReadContext();
			Shapes shapes = new Shapes(this.fory, ForyCodec.this.maxDepth, this.output);
			List<ContractMethod> methods = ForyCodec.this.contract.methods();
			this.bindings = methods.stream().map((method) -> new Binding(method, shapes)).toArray(Binding[]::new);
		}

		void beginWrite(EncodeBuffer out) {
			this.output.begin(out);
			this.writing.prepare(this.buffer, null);
		}

		void endWrite(EncodeBuffer out) {
			this.output.end(out);
		}

		void beginRead(byte[] bytes, int offset, int length) {
			this.buffer.pointTo(bytes, offset, length);
			this.buffer.readerIndex(0);
			this.reading.prepare(this.buffer, null, false);
		}

		void endRead() {
			if (this.buffer.remaining() != 0) {
				throw new CodecException("%d bytes follow the value".formatted(this.buffer.remaining()), null);
			}
		}

		/** Afterwards nothing points to the caller's array. */
		void reset() {
			this.output.forget();
			this.writing.reset();
			this.reading.reset();
			this.buffer.pointTo(NOTHING, 0, 0);
			this.buffer.readerIndex(0);
			this.buffer.writerIndex(0);
		}

	}

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
