package io.github.vicinal.path;

import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PathKindTests {

	@Test
	void kindsAreOrderedByTheirRank() {
		PathKind near = new PathKind("near", 300, PathKind.Reach.SAME_HOST);
		PathKind far = new PathKind("far", 500, PathKind.Reach.NETWORK);
		assertThat(new TreeSet<>(List.of(PathKind.HTTP, far, near, PathKind.DIRECT))).containsExactly(PathKind.DIRECT,
				near, far, PathKind.HTTP);
	}

	@Test
	void theIdMakesTheKind() {
		PathKind kind = new PathKind("near", 300, PathKind.Reach.SAME_HOST);
		assertThat(kind).isEqualTo(new PathKind("near", 300, PathKind.Reach.SAME_HOST))
			.hasSameHashCodeAs(new PathKind("near", 300, PathKind.Reach.SAME_HOST))
			.isNotEqualTo(new PathKind("nearer", 300, PathKind.Reach.SAME_HOST))
			.hasToString("near");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "SHM", "a b", "a:b", "a,b", "1st", "a-path-with-a-very-long-name" })
	void anIdFitsIntoAnAnnouncement(String id) {
		assertThatIllegalArgumentException().isThrownBy(() -> new PathKind(id, 1, PathKind.Reach.NETWORK))
			.withMessageContaining("'" + id + "'");
	}

}
