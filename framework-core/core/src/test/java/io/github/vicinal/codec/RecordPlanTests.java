package io.github.vicinal.codec;

import java.util.UUID;
import java.util.stream.IntStream;

import io.github.vicinal.contract.TypeClosure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecordPlanTests {

	private final RecordPlan plan = plan(Transparent.Scalars.class);

	private static RecordPlan plan(Class<?> type) {
		Shapes shapes = new Shapes(10, false);
		Shape[] components = TypeClosure.componentTypes(type).stream().map(shapes::of).toArray(Shape[]::new);
		return RecordPlan.of(type, IntStream.range(0, components.length).toArray(), components, 10);
	}

	/** Otherwise nothing would fail, and lists of records would be twice as slow. */
	@Test
	void recordOfFewComponentsHasCodeOfItsOwn() {
		assertThat(this.plan.shape().getClass().isHidden()).isTrue();
		assertThat(this.plan.shape().getClass()).isNotSameAs(plan(Transparent.Numbers.class).shape().getClass());
		assertThat(plan(Transparent.Twelve.class).shape().getClass().isHidden()).isTrue();
		assertThat(plan(Transparent.Wide.class).shape()).isInstanceOf(RecordShape.class);
	}

	@Test
	void bothShapesHaveOneLayout() {
		Object value = new Transparent.Scalars(true, (byte) 1, (short) -2, 3, Long.MIN_VALUE, 5.5f, -0.0, '\uFFFF',
				"text", new UUID(1, 2));
		Shape template = this.plan.shape();
		Shape plain = new RecordShape(this.plan);
		for (Shape writer : new Shape[] { template, plain }) {
			EncodeBuffer out = new EncodeBuffer(1);
			writer.write(out, value, 0);
			for (Shape reader : new Shape[] { template, plain }) {
				FlatInput in = new FlatInput(out.array(), 0, out.size());
				assertThat(reader.read(in, 0)).isEqualTo(value);
				assertThat(in.remaining()).isZero();
			}
		}
	}

	@Test
	void bothShapesRefuseTheSame() {
		for (Shape shape : new Shape[] { this.plan.shape(), new RecordShape(this.plan) }) {
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> shape.write(new EncodeBuffer(8), new Transparent.Empty(), 0))
				.withMessageContaining("Empty where the contract says");
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> shape.read(new FlatInput(new byte[100], 0, 100), 10))
				.withMessageContaining("Values are nested more deeply than 10");
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> shape.read(new FlatInput(new byte[100], 0, 20), 0))
				.withMessageContaining("bytes are left");
		}
	}

}
