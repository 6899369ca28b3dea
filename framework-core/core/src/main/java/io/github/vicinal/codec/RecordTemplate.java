package io.github.vicinal.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

import org.jspecify.annotations.Nullable;

/**
 * Shape of a record of few components. This class is a template: for each record the JVM
 * defines it once more as a hidden class, with that record's handles and shapes as
 * constants. The JIT compiler inlines constants, and then needs neither boxes nor an
 * array of the values, which halves the time of lists of small records. The bytes of the
 * class are those that javac has made; none are generated at run time.
 *
 * @see RecordPlan#shape()
 */
final class RecordTemplate extends Shape {

	/** Maximum number of components of a record that uses the template. */
	static final int MAX_COMPONENTS = 12;

	private static final RecordPlan PLAN = plan();

	private static final int COUNT = PLAN.components().length;

	private static final MethodHandle CONSTRUCTOR = PLAN.constructor();

	private static final MethodHandle ACCESSOR_0 = PLAN.accessor(0);

	private static final MethodHandle ACCESSOR_1 = PLAN.accessor(1);

	private static final MethodHandle ACCESSOR_2 = PLAN.accessor(2);

	private static final MethodHandle ACCESSOR_3 = PLAN.accessor(3);

	private static final MethodHandle ACCESSOR_4 = PLAN.accessor(4);

	private static final MethodHandle ACCESSOR_5 = PLAN.accessor(5);

	private static final MethodHandle ACCESSOR_6 = PLAN.accessor(6);

	private static final MethodHandle ACCESSOR_7 = PLAN.accessor(7);

	private static final MethodHandle ACCESSOR_8 = PLAN.accessor(8);

	private static final MethodHandle ACCESSOR_9 = PLAN.accessor(9);

	private static final MethodHandle ACCESSOR_10 = PLAN.accessor(10);

	private static final MethodHandle ACCESSOR_11 = PLAN.accessor(11);

	private static final Shape SHAPE_0 = PLAN.component(0);

	private static final Shape SHAPE_1 = PLAN.component(1);

	private static final Shape SHAPE_2 = PLAN.component(2);

	private static final Shape SHAPE_3 = PLAN.component(3);

	private static final Shape SHAPE_4 = PLAN.component(4);

	private static final Shape SHAPE_5 = PLAN.component(5);

	private static final Shape SHAPE_6 = PLAN.component(6);

	private static final Shape SHAPE_7 = PLAN.component(7);

	private static final Shape SHAPE_8 = PLAN.component(8);

	private static final Shape SHAPE_9 = PLAN.component(9);

	private static final Shape SHAPE_10 = PLAN.component(10);

	private static final Shape SHAPE_11 = PLAN.component(11);

	private static RecordPlan plan() {
		try {
			return MethodHandles.classData(MethodHandles.lookup(), "_", RecordPlan.class);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	void write(EncodeBuffer out, Object value, int depth) {
		PLAN.check(value, depth);
		try {
			if (COUNT > 0) {
				SHAPE_0.writeNullable(out, (Object) ACCESSOR_0.invokeExact(value), depth + 1);
			}
			if (COUNT > 1) {
				SHAPE_1.writeNullable(out, (Object) ACCESSOR_1.invokeExact(value), depth + 1);
			}
			if (COUNT > 2) {
				SHAPE_2.writeNullable(out, (Object) ACCESSOR_2.invokeExact(value), depth + 1);
			}
			if (COUNT > 3) {
				SHAPE_3.writeNullable(out, (Object) ACCESSOR_3.invokeExact(value), depth + 1);
			}
			if (COUNT > 4) {
				SHAPE_4.writeNullable(out, (Object) ACCESSOR_4.invokeExact(value), depth + 1);
			}
			if (COUNT > 5) {
				SHAPE_5.writeNullable(out, (Object) ACCESSOR_5.invokeExact(value), depth + 1);
			}
			if (COUNT > 6) {
				SHAPE_6.writeNullable(out, (Object) ACCESSOR_6.invokeExact(value), depth + 1);
			}
			if (COUNT > 7) {
				SHAPE_7.writeNullable(out, (Object) ACCESSOR_7.invokeExact(value), depth + 1);
			}
			if (COUNT > 8) {
				SHAPE_8.writeNullable(out, (Object) ACCESSOR_8.invokeExact(value), depth + 1);
			}
			if (COUNT > 9) {
				SHAPE_9.writeNullable(out, (Object) ACCESSOR_9.invokeExact(value), depth + 1);
			}
			if (COUNT > 10) {
				SHAPE_10.writeNullable(out, (Object) ACCESSOR_10.invokeExact(value), depth + 1);
			}
			if (COUNT > 11) {
				SHAPE_11.writeNullable(out, (Object) ACCESSOR_11.invokeExact(value), depth + 1);
			}
		}
		catch (Throwable ex) {
			throw PLAN.accessorFailed(ex);
		}
	}

	@Override
	Object read(FlatInput in, int depth) {
		PLAN.checkDepth(depth);
		@Nullable Object[] values = new @Nullable Object[COUNT];
		if (COUNT > 0) {
			values[0] = SHAPE_0.readNullable(in, depth + 1);
		}
		if (COUNT > 1) {
			values[1] = SHAPE_1.readNullable(in, depth + 1);
		}
		if (COUNT > 2) {
			values[2] = SHAPE_2.readNullable(in, depth + 1);
		}
		if (COUNT > 3) {
			values[3] = SHAPE_3.readNullable(in, depth + 1);
		}
		if (COUNT > 4) {
			values[4] = SHAPE_4.readNullable(in, depth + 1);
		}
		if (COUNT > 5) {
			values[5] = SHAPE_5.readNullable(in, depth + 1);
		}
		if (COUNT > 6) {
			values[6] = SHAPE_6.readNullable(in, depth + 1);
		}
		if (COUNT > 7) {
			values[7] = SHAPE_7.readNullable(in, depth + 1);
		}
		if (COUNT > 8) {
			values[8] = SHAPE_8.readNullable(in, depth + 1);
		}
		if (COUNT > 9) {
			values[9] = SHAPE_9.readNullable(in, depth + 1);
		}
		if (COUNT > 10) {
			values[10] = SHAPE_10.readNullable(in, depth + 1);
		}
		if (COUNT > 11) {
			values[11] = SHAPE_11.readNullable(in, depth + 1);
		}
		try {
			return (Object) CONSTRUCTOR.invokeExact(values);
		}
		catch (Throwable ex) {
			throw PLAN.constructorFailed(ex);
		}
	}

}
