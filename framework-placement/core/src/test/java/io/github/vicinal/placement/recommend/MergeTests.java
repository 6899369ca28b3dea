package io.github.vicinal.placement.recommend;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether services were looked at agrees with what is said of them. */
class MergeTests {

	@Test
	void servicesOfWhichNothingIsSaidAreNotKnown() {
		assertThat(known()).isTrue();
		assertThat(known("both 'a' and 'b' listen on port 8080")).isTrue();
		assertThat(known(MergeChecker.UNKNOWN)).isFalse();
		assertThat(known("nothing is known about the dependencies of 'a'; give its jar")).isFalse();
		assertThat(known("'a' and 'c': nothing is known about the dependencies of 'c'",
				"'b' and 'c': nothing is known about the dependencies of 'c'"))
			.isFalse();
		assertThat(known("nothing is known about the dependencies of 'a'", "they run as different users")).isTrue();
	}

	private static boolean known(String... obstacles) {
		return new Merge(List.of("a", "b"), 0, 0, 0, List.of(obstacles)).known();
	}

}
