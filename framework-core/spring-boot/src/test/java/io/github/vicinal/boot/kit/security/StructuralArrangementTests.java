package io.github.vicinal.boot.kit.security;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.testing.DeepTests;

/**
 * Arrangements for clients with an interface of their own: typed calls by structure pass
 * security chains, filters and interceptors as requests do. The build runs every fourth
 * one, as they are also run for a shared interface; the profile {@code deep} runs all.
 */
class StructuralArrangementTests extends ArrangementTests {

	@Override
	boolean byStructure() {
		return true;
	}

	@Override
	Set<String> withoutStructure() {
		return Set.of("text");
	}

	@Override
	Stream<Arrangement> arrangements() {
		List<Arrangement> all = Stream.of(new ChainArrangementTests(), new InterceptorArrangementTests())
			.flatMap(ArrangementTests::arrangements)
			.toList();
		return DeepTests.areRun() ? all.stream()
				: IntStream.range(0, all.size()).filter((i) -> i % 4 == 0).mapToObj(all::get);
	}

}
