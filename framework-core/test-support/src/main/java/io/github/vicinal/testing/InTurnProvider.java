package io.github.vicinal.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Chooses rows of {@link InTurn}. */
final class InTurnProvider extends AnnotationBasedArgumentsProvider<InTurn> {

	@Override
	protected Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context,
			InTurn annotation) {
		List<String> all = List.of(annotation.value());
		String test = context.getRequiredTestClass().getName() + "." + context.getRequiredTestMethod().getName();
		List<String> rows = DeepTests.areRun() ? all : rows(all, annotation.rows(), test);
		return rows.stream().map((row) -> Arguments.of((Object[]) row.strip().split(" *, *", -1)));
	}

	static List<String> rows(List<String> all, int count, String test) {
		if (count < 1 || all.size() <= count) {
			throw new IllegalArgumentException("%d of %d rows in %s".formatted(count, all.size(), test));
		}
		int first = Math.floorMod(test.hashCode(), all.size());
		List<String> rows = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			rows.add(all.get((first + i * all.size() / count) % all.size()));
		}
		return rows;
	}

}
