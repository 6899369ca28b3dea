package io.github.vicinal.codec;

import org.jspecify.annotations.Nullable;

/**
 * Shape of any record, without code of its own: used for records with many components,
 * and where the JVM defines no hidden classes.
 */
final class RecordShape extends Shape {

	private final RecordPlan plan;

	RecordShape(RecordPlan plan) {
		this.plan = plan;
	}

	@Override
	void write(EncodeBuffer out, Object value, int depth) {
		RecordPlan plan = this.plan;
		plan.check(value, depth);
		for (int i = 0; i < plan.components().length; i++) {
			plan.components()[i].writeNullable(out, get(plan, i, value), depth + 1);
		}
	}

	private static @Nullable Object get(RecordPlan plan, int component, Object value) {
		try {
			return (Object) plan.accessors()[component].invokeExact(value);
		}
		catch (Throwable ex) {
			throw plan.accessorFailed(ex);
		}
	}

	@Override
	Object read(FlatInput in, int depth) {
		RecordPlan plan = this.plan;
		plan.checkDepth(depth);
		@Nullable Object[] values = new @Nullable Object[plan.components().length];
		for (int i = 0; i < values.length; i++) {
			values[i] = plan.components()[i].readNullable(in, depth + 1);
		}
		try {
			return (Object) plan.constructor().invokeExact(values);
		}
		catch (Throwable ex) {
			throw plan.constructorFailed(ex);
		}
	}

}
