package io.github.vicinal.codec;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;

/**
 * Access to a record's components: by its accessors and its canonical constructor, as
 * Jackson does.
 *
 * @param type the record's class
 * @param accessors one per component, of type {@code (Object)Object}
 * @param constructor of type {@code (Object[])Object}
 * @param components the shapes of the components
 * @param maxDepth how deeply arrays and objects may be nested in JSON
 */
@SuppressWarnings("ArrayRecordComponent")
record RecordPlan(Class<?> type, MethodHandle[] accessors, MethodHandle constructor, Shape[] components, int maxDepth) {

	/**
	 * Makes the plan of a record.
	 * @param type the record's class
	 * @param order positions of the components in the order in which they are written
	 * @param components the shapes of the components, in that order
	 * @param maxDepth how deeply arrays and objects may be nested in JSON
	 */
	static RecordPlan of(Class<?> type, int[] order, Shape[] components, int maxDepth) {
		RecordComponent[] parts = type.getRecordComponents();
		MethodHandle[] accessors = new MethodHandle[parts.length];
		Class<?>[] parameters = new Class<?>[parts.length];
		Class<?>[] written = new Class<?>[parts.length];
		int[] places = new int[parts.length];
		try {
			MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
			for (int i = 0; i < parts.length; i++) {
				parameters[i] = parts[i].getType();
				written[i] = parts[order[i]].getType();
				places[order[i]] = i;
				accessors[i] = lookup.unreflect(parts[order[i]].getAccessor())
					.asType(MethodType.methodType(Object.class, Object.class));
			}
			MethodHandle constructor = MethodHandles
				.permuteArguments(lookup.findConstructor(type, MethodType.methodType(void.class, parameters)),
						MethodType.methodType(type, written), places)
				.asSpreader(Object[].class, parts.length)
				.asType(MethodType.methodType(Object.class, Object[].class));
			return new RecordPlan(type, accessors, constructor, components, maxDepth);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalArgumentException(
					"%s cannot be reached: open its package to this library".formatted(type.getName()), ex);
		}
	}

	/**
	 * Returns a shape with code of its own, or one with the code that all records share
	 * if there are many components or the JVM defines no hidden classes.
	 */
	Shape shape() {
		if (this.components.length > RecordTemplate.MAX_COMPONENTS) {
			return new RecordShape(this);
		}
		try (InputStream template = RecordPlan.class.getResourceAsStream("RecordTemplate.class")) {
			if (template == null) {
				return new RecordShape(this);
			}
			Class<?> hidden = MethodHandles.lookup()
				.defineHiddenClassWithClassData(template.readAllBytes(), this, true)
				.lookupClass();
			return (Shape) hidden.getDeclaredConstructor().newInstance();
		}
		catch (IOException | ReflectiveOperationException | LinkageError | UnsupportedOperationException ex) {
			return new RecordShape(this);
		}
	}

	/** Returns an accessor, or any handle for a component that the record lacks. */
	MethodHandle accessor(int index) {
		return (index < this.accessors.length) ? this.accessors[index] : this.constructor;
	}

	/** Returns a shape, or any for a component that the record lacks. */
	Shape component(int index) {
		return (index < this.components.length) ? this.components[index] : new RecordShape(this);
	}

	/** Checks a value before its parts are written. */
	void check(Object value, int depth) {
		Shape.checkClass(value, this.type);
		checkDepth(depth);
	}

	void checkDepth(int depth) {
		Shapes.checkDepth(depth, this.maxDepth);
	}

	RuntimeException accessorFailed(Throwable cause) {
		return failed("An accessor", cause);
	}

	RuntimeException constructorFailed(Throwable cause) {
		return failed("The constructor", cause);
	}

	private RuntimeException failed(String what, Throwable cause) {
		if (cause instanceof Error error) {
			throw error;
		}
		return (cause instanceof RuntimeException runtime) ? runtime
				: new CodecException("%s of %s failed".formatted(what, this.type.getName()), cause);
	}

}
