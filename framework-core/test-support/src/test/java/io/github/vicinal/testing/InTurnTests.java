package io.github.vicinal.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Tests of {@link InTurn}. */
class InTurnTests {

	private static final List<String> PATHS = List.of("direct", "shm", "uds");

	private static final List<String> TAKEN = Collections.synchronizedList(new ArrayList<>());

	@ParameterizedTest
	@InTurn(value = { "direct,false", "shm, true", "uds,false", "direct, true" }, rows = 2)
	void argumentsAreConverted(String path, boolean filter) {
		TAKEN.add(path + filter);
	}

	@AfterAll
	static void twoRowsWereTaken() {
		assertThat(TAKEN).hasSize(DeepTests.areRun() ? 4 : 2).doesNotHaveDuplicates();
		TAKEN.clear();
	}

	@Test
	void theSameTestTakesTheSameRow() {
		assertThat(InTurnProvider.rows(PATHS, 1, "A.b")).hasSize(1).isEqualTo(InTurnProvider.rows(PATHS, 1, "A.b"));
	}

	@Test
	void manyTestsTakeEachRowEquallyOften() {
		Map<String, Integer> taken = new TreeMap<>();
		for (int i = 0; i < 300; i++) {
			InTurnProvider.rows(PATHS, 1, "SomeTests.name" + i).forEach((row) -> taken.merge(row, 1, Integer::sum));
		}
		assertThat(taken.keySet()).containsExactly("direct", "shm", "uds");
		assertThat(taken.values()).allSatisfy((times) -> assertThat(times).isBetween(50, 150));
	}

	@Test
	void noRowIsTakenTwice() {
		for (int i = 0; i < 20; i++) {
			assertThat(InTurnProvider.rows(PATHS, 2, "SomeTests.name" + i)).hasSize(2).doesNotHaveDuplicates();
		}
	}

	@Test
	void rowsAreFarFromEachOther() {
		List<String> all = List.of("0", "1", "2", "3", "4", "5");
		for (int i = 0; i < 20; i++) {
			List<String> rows = InTurnProvider.rows(all, 2, "SomeTests.name" + i);
			int first = Integer.parseInt(rows.get(0));
			assertThat(rows).hasSize(2).last().isEqualTo(String.valueOf((first + 3) % 6));
		}
	}

	@Test
	void aNumberOfRowsThatLeavesNothingOutIsNone() {
		assertThatIllegalArgumentException().isThrownBy(() -> InTurnProvider.rows(PATHS, 3, "A.b"));
		assertThatIllegalArgumentException().isThrownBy(() -> InTurnProvider.rows(PATHS, 0, "A.b"));
	}

}
