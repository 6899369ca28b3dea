package io.github.vicinal.placement;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.placement";

	private final JavaClasses placement = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void solversKnowNothingButArrays() {
		noClasses().that()
			.resideInAPackage(ROOT + ".solver..")
			.should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("java..", "org.jspecify..", ROOT + ".solver..")
			.because("the solver is usable, and understandable, on its own")
			.check(this.placement);
	}

	@Test
	void theVerifierSharesNothingWithSolvers() {
		noClasses().that()
			.resideInAPackage(ROOT + ".verify..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".solver..", ROOT + ".recommend..")
			.because("a check by the same code repeats its mistakes")
			.check(this.placement);
	}

	@Test
	void noSpring() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("placement is used outside of Spring too")
			.check(this.placement);
	}

	@Test
	void noStaticMutableState() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.placement);
	}

	@Test
	void noPackageCycles() {
		slices().matching(ROOT + ".(*)..")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.placement);
	}

}
