package io.github.vicinal.transport.shm.lane;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Layout that both sides must agree on. */
class SegmentLayoutTests {

	/** Not places of words: what else a word may say, and limits. */
	private static final Set<String> OTHERS = Set.of("VERSION", "INLINE", "IN_REQUEST", "IN_PIECES", "MAX_LANES",
			"MAX_INLINE_BYTES");

	@Test
	void hashCoversThePlaceOfEachWord() throws Exception {
		List<Integer> places = new ArrayList<>();
		for (Field field : SegmentLayout.class.getDeclaredFields()) {
			if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class
					&& !OTHERS.contains(field.getName())) {
				field.setAccessible(true);
				places.add(field.getInt(null));
			}
		}
		assertThat(SegmentLayout.PLACES).hasSizeGreaterThan(20).containsExactlyInAnyOrderElementsOf(places);
	}

	@Test
	void lanesLieSideBySide() {
		SegmentLayout layout = new SegmentLayout(4, 2048);
		assertThat(layout.lines(1) - layout.lines(0)).isEqualTo(SegmentLayout.LANE_LINES_BYTES);
		assertThat(layout.requestArea(0)).isEqualTo(layout.lines(4));
		assertThat(layout.responseArea(3) + 2048).isEqualTo(layout.bytes());
	}

}
