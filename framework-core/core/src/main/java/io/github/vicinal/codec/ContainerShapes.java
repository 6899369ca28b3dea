package io.github.vicinal.codec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Shapes of collections and maps. They come back as what Jackson makes of them. */
final class ContainerShapes {

	private ContainerShapes() {
	}

	private static void checkCount(int size, int written) {
		if (size != written) {
			throw new CodecException("A collection of %d elements changed while it was written".formatted(size), null);
		}
	}

	/** Collections and sets. */
	static final class CollectionShape extends Shape {

		private final boolean set;

		private final boolean linked;

		private final @Nullable Class<?> enumType;

		private final Shape element;

		private final int maxDepth;

		CollectionShape(Class<?> declared, @Nullable Class<?> enumType, Shape element, int maxDepth) {
			this.set = Set.class.isAssignableFrom(declared);
			this.linked = declared == LinkedHashSet.class;
			this.enumType = (declared == Set.class) ? enumType : null;
			this.element = element;
			this.maxDepth = maxDepth;
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			Collection<?> collection = (Collection<?>) value;
			int size = collection.size();
			out.writeUnsigned(size);
			if (value.getClass() == ArrayList.class) {
				List<?> elements = (List<?>) value;
				for (int i = 0; i < size; i++) {
					this.element.writeNullable(out, elements.get(i), depth + 1);
				}
				return;
			}
			int written = 0;
			for (Object each : collection) {
				if (each == null && this.enumType != null) {
					throw new CodecException("null in a set of enums, which Jackson does not read", null);
				}
				this.element.writeNullable(out, each, depth + 1);
				written++;
			}
			checkCount(size, written);
		}

		@Override
		Object read(FlatInput in, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			int size = in.readSize(1);
			Collection<@Nullable Object> collection = create(size);
			for (int i = 0; i < size; i++) {
				collection.add(this.element.readNullable(in, depth + 1));
			}
			return collection;
		}

		@SuppressWarnings({ "unchecked", "rawtypes", "NullAway" })
		private Collection<@Nullable Object> create(int size) {
			if (!this.set) {
				return new ArrayList<>(size);
			}
			if (this.enumType != null) {
				return (Collection) EnumSet.noneOf((Class<? extends Enum>) this.enumType);
			}
			// No capacity: it would change the order of iteration.
			return this.linked ? new LinkedHashSet<>() : new HashSet<>();
		}

	}

	/** Maps. */
	static final class MapShape extends Shape {

		private final boolean linked;

		private final @Nullable Class<?> enumType;

		private final Shape key;

		private final Shape value;

		private final int maxDepth;

		MapShape(Class<?> declared, @Nullable Class<?> enumType, Shape key, Shape value, int maxDepth) {
			this.linked = declared != HashMap.class;
			this.enumType = (declared == Map.class) ? enumType : null;
			this.key = key;
			this.value = value;
			this.maxDepth = maxDepth;
		}

		@Override
		void write(EncodeBuffer out, Object map, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			Map<?, ?> source = (Map<?, ?>) map;
			int size = source.size();
			out.writeUnsigned(size);
			int written = 0;
			for (Map.Entry<?, ?> entry : source.entrySet()) {
				Object entryKey = entry.getKey();
				if (entryKey == null) {
					throw new CodecException("A map has a null key, which JSON cannot carry", null);
				}
				this.key.write(out, entryKey, depth + 1);
				this.value.writeNullable(out, entry.getValue(), depth + 1);
				written++;
			}
			checkCount(size, written);
		}

		@Override
		Object read(FlatInput in, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			int size = in.readSize(2);
			Map<Object, @Nullable Object> map = create();
			for (int i = 0; i < size; i++) {
				map.put(this.key.read(in, depth + 1), this.value.readNullable(in, depth + 1));
			}
			return map;
		}

		@SuppressWarnings({ "unchecked", "rawtypes" })
		private Map<Object, @Nullable Object> create() {
			if (this.enumType != null) {
				return (Map) new EnumMap((Class<? extends Enum>) this.enumType);
			}
			return this.linked ? new LinkedHashMap<>() : new HashMap<>();
		}

	}

}
