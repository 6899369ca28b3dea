package io.github.vicinal.cache;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.cache";

	private final JavaClasses cache = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void buildsOnCaffeineAlone() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages(ROOT + "..", "java..", "org.slf4j", "org.jspecify..",
					"com.github.benmanes.caffeine.cache")
			.because("caches are used without Spring, and without core")
			.check(this.cache);
	}

	@Test
	void onlyOneClassKnowsCaffeine() {
		noClasses().that()
			.haveNameNotMatching(".*\\.CaffeineStore(\\$.*)?")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("com.github.benmanes..")
			.because("Caffeine is one of three engines")
			.check(this.cache);
	}

	@Test
	void policiesKnowNoCache() {
		noClasses().that()
			.resideInAPackage(ROOT + ".policy..")
			.should()
			.dependOnClassesThat()
			.resideOutsideOfPackages(ROOT + ".policy..", "java..", "org.jspecify..")
			.because("a policy orders slots, for caches and ghosts alike")
			.check(this.cache);
		noClasses().that()
			.resideInAPackage(ROOT + ".aic..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT)
			.because("AIC is a policy")
			.check(this.cache);
	}

	@Test
	void noPackageCycles() {
		slices().matching(ROOT + ".(*)..")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.cache);
	}

	@Test
	void noStaticMutableState() {
		fields().that()
			.areStatic()
			.should(beFinalAndConstant())
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.cache);
	}

	private static ArchCondition<JavaField> beFinalAndConstant() {
		return new ArchCondition<>("be final and of a class that cannot change") {
			@Override
			public void check(JavaField field, ConditionEvents events) {
				boolean changeable = field.getRawType().getPackageName().startsWith("java.util.concurrent")
						|| field.getRawType().isAssignableTo(ThreadLocal.class)
						|| field.getRawType().getSimpleName().matches(".*(HashMap|ArrayList|HashSet)");
				boolean holds = field.getModifiers().contains(JavaModifier.FINAL) && !changeable;
				events.add(new SimpleConditionEvent(field, holds, field.getDescription()));
			}
		};
	}

}
