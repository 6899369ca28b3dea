package io.github.vicinal.cache.jcache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.Arrays;
import java.util.Currency;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import javax.cache.CacheException;

/**
 * Copies by Java serialisation, as JCache prescribes. It reads only bytes that it has
 * just written itself, in memory. No byte comes from a file or a network, so an
 * {@code ObjectInputFilter} would have nothing to filter. Values that are known to be
 * deeply immutable are not copied.
 */
final class SerializingCopier implements Copier {

	private static final Set<Class<?>> IMMUTABLE = Set.of(String.class, Boolean.class, Character.class, Byte.class,
			Short.class, Integer.class, Long.class, Float.class, Double.class, BigInteger.class, BigDecimal.class,
			UUID.class, URI.class, Locale.class, Currency.class, Class.class);

	/** Whether the instances of a class are deeply immutable. */
	private final ClassValue<Boolean> immutable = new ClassValue<>() {
		@Override
		protected Boolean computeValue(Class<?> type) {
			return isImmutable(type, 0);
		}
	};

	private static boolean isImmutable(Class<?> type, int depth) {
		if (type.isPrimitive() || IMMUTABLE.contains(type) || type.isEnum()) {
			return true;
		}
		if (type.getPackageName().equals("java.time")) {
			return Modifier.isFinal(type.getModifiers());
		}
		// Only the guarantee of a final component type holds for each of its values.
		return type.isRecord() && depth < 8
				&& Arrays.stream(type.getRecordComponents())
					.map(RecordComponent::getType)
					.allMatch((component) -> component != Optional.class && isImmutable(component, depth + 1));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> T copy(T value, ClassLoader loader) {
		// The constants of an enum may be classes of their own.
		if (value instanceof Enum<?> || this.immutable.get(value.getClass())) {
			return value;
		}
		try {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
				out.writeObject(value);
			}
			try (ObjectInputStream in = new LoaderInput(new ByteArrayInputStream(bytes.toByteArray()), loader)) {
				return (T) in.readObject();
			}
		}
		catch (IOException | ClassNotFoundException ex) {
			throw new CacheException(
					"A value of %s cannot be copied by serialisation (%s): make it Serializable, set a Copier, or turn store-by-value off"
						.formatted(value.getClass().getName(), ex),
					ex);
		}
	}

	private static final class LoaderInput extends ObjectInputStream {

		private final ClassLoader loader;

		LoaderInput(InputStream in, ClassLoader loader) throws IOException {
			super(in);
			this.loader = loader;
		}

		@Override
		protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
			try {
				return Class.forName(description.getName(), false, this.loader);
			}
			catch (ClassNotFoundException ex) {
				return super.resolveClass(description);
			}
		}

		@Override
		@SuppressWarnings("deprecation") // Proxy.getProxyClass: the class is all there is
											// to give
		protected Class<?> resolveProxyClass(String[] interfaces) throws IOException, ClassNotFoundException {
			Class<?>[] types = new Class<?>[interfaces.length];
			for (int i = 0; i < interfaces.length; i++) {
				types[i] = Class.forName(interfaces[i], false, this.loader);
			}
			return Proxy.getProxyClass(this.loader, types);
		}

	}

}
