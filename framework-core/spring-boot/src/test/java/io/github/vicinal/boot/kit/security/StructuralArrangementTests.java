package io.github.vicinal.boot.kit.security;

import java.util.Set;
import java.util.stream.Stream;

/**
 * Arrangements for clients with an interface of their own: typed calls by structure pass
 * security chains, filters and interceptors as requests do.
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
		return Stream.of(new ChainArrangementTests(), new InterceptorArrangementTests())
			.flatMap(ArrangementTests::arrangements);
	}

}
