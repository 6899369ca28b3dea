package io.github.vicinal.codec;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;

import org.jspecify.annotations.Nullable;

/** Shapes of dates, times and durations. */
final class TimeShapes {

	private TimeShapes() {
	}

	/** Returns the shape of a type, or {@code null} for all others. */
	static @Nullable Shape of(Class<?> type) {
		if (type == Instant.class) {
			return new InstantShape();
		}
		if (type == LocalDate.class) {
			return new DateShape();
		}
		if (type == LocalTime.class) {
			return new TimeShape();
		}
		if (type == LocalDateTime.class) {
			return new DateTimeShape();
		}
		return (type == Duration.class) ? new DurationShape() : null;
	}

	static final class InstantShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Instant instant = (Instant) value;
			out.writeVarLong(instant.getEpochSecond());
			out.writeInt(instant.getNano());
		}

		@Override
		Object read(FlatInput in, int depth) {
			long seconds = in.readVarLong();
			return Instant.ofEpochSecond(seconds, in.readInt());
		}

	}

	static final class DateShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeVarLong(((LocalDate) value).toEpochDay());
		}

		@Override
		Object read(FlatInput in, int depth) {
			return LocalDate.ofEpochDay(in.readVarLong());
		}

	}

	static final class TimeShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeLong(((LocalTime) value).toNanoOfDay());
		}

		@Override
		Object read(FlatInput in, int depth) {
			return LocalTime.ofNanoOfDay(in.readLong());
		}

	}

	static final class DateTimeShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			LocalDateTime dateTime = (LocalDateTime) value;
			out.writeVarLong(dateTime.toLocalDate().toEpochDay());
			out.writeLong(dateTime.toLocalTime().toNanoOfDay());
		}

		@Override
		Object read(FlatInput in, int depth) {
			LocalDate date = LocalDate.ofEpochDay(in.readVarLong());
			return LocalDateTime.of(date, LocalTime.ofNanoOfDay(in.readLong()));
		}

	}

	static final class DurationShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Duration duration = (Duration) value;
			out.writeVarLong(duration.getSeconds());
			out.writeInt(duration.getNano());
		}

		@Override
		Object read(FlatInput in, int depth) {
			long seconds = in.readVarLong();
			return Duration.ofSeconds(seconds, in.readInt());
		}

	}

}
