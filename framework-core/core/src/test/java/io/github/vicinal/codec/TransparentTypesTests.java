package io.github.vicinal.codec;

import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.TypeClosure;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The proof behind {@link TypeClosure#opaqueReason()}: for random values of every
 * transparent type, whatever collection classes the caller used, the flat format brings
 * back what JSON brings back, in value, in class and in iteration order.
 */
@Tag("every-jdk")
class TransparentTypesTests {

	private static final Contract CONTRACT = TestContracts.of(Transparent.class);

	private final JsonMapper mapper = JsonMapper.builder().build();

	private final ContractCodec jackson = new JacksonCodec(CONTRACT, this.mapper);

	private static final ContractCodec FLAT = new FlatCodec(CONTRACT, 500);

	@Test
	void theContractIsTransparent() {
		assertThat(CONTRACT.closure().opaqueReason()).isEmpty();
	}

	@Property(tries = 400)
	void flatEqualsJacksonForArgumentsAndResults(@ForAll long seed) {
		for (ContractMethod method : CONTRACT.methods()) {
			Object[] arguments = RandomValues.arguments(method, seed);
			Object[] viaJson = decode(this.jackson, method, arguments);
			Object[] viaFlat = decode(FLAT, method, arguments);
			assertThat(same(viaJson, viaFlat)).as(() -> method + ": " + show(viaJson) + " / " + show(viaFlat)).isTrue();
			assertThat(equal(arguments, viaJson)).as(() -> method + ": " + show(arguments) + " / " + show(viaJson))
				.isTrue();
			if (arguments.length == 1) {
				byte[] json = TestContracts.result(this.jackson, method, arguments[0]);
				byte[] flat = TestContracts.result(FLAT, method, arguments[0]);
				assertThat(same(this.jackson.decodeResult(method, json, 0, json.length),
						FLAT.decodeResult(method, flat, 0, flat.length)))
					.as("%s", method)
					.isTrue();
			}
		}
	}

	private static Object[] decode(ContractCodec codec, ContractMethod method, Object[] arguments) {
		byte[] bytes = TestContracts.arguments(codec, method, arguments);
		byte[] shifted = new byte[bytes.length + 7];
		System.arraycopy(bytes, 0, shifted, 3, bytes.length);
		return codec.decodeArguments(method, shifted, 3, bytes.length);
	}

	private static String show(Object[] values) {
		return Arrays.deepToString(values);
	}

	/** Equal, of the same classes all the way down, in the same order. */
	static boolean same(Object one, Object other) {
		if (one == null || other == null) {
			return one == other;
		}
		return one.getClass() == other.getClass() && compare(one, other, true);
	}

	private static boolean equal(Object one, Object other) {
		return (one == null || other == null) ? one == other : compare(one, other, false);
	}

	private static boolean compare(Object one, Object other, boolean classes) {
		if (one.getClass().isArray()) {
			int length = Array.getLength(one);
			boolean equal = length == Array.getLength(other);
			for (int i = 0; equal && i < length; i++) {
				equal = classes ? same(Array.get(one, i), Array.get(other, i))
						: equal(Array.get(one, i), Array.get(other, i));
			}
			return equal;
		}
		if (one instanceof Collection<?> collection && !classes && one instanceof Set) {
			return collection.equals(other);
		}
		if (one instanceof Collection<?> collection) {
			return compare(collection.toArray(), ((Collection<?>) other).toArray(), classes);
		}
		if (one instanceof Map<?, ?> map) {
			Map<?, ?> others = (Map<?, ?>) other;
			return (classes || map.keySet().equals(others.keySet()))
					&& (!classes || compare(map.keySet().toArray(), others.keySet().toArray(), true))
					&& map.keySet()
						.stream()
						.allMatch((key) -> classes ? same(map.get(key), others.get(key))
								: equal(map.get(key), others.get(key)));
		}
		if (one instanceof Record) {
			try {
				for (RecordComponent component : one.getClass().getRecordComponents()) {
					component.getAccessor().setAccessible(true);
					Object left = component.getAccessor().invoke(one);
					Object right = component.getAccessor().invoke(other);
					if (!(classes ? same(left, right) : equal(left, right))) {
						return false;
					}
				}
				return true;
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return one.equals(other);
	}

}
