package io.github.vicinal.placement.exact;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private final JavaClasses solver = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.placement.exact");

	@Test
	void buildsOnFewModules() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal.placement..", "com.google.ortools..", "java..",
					"org.jspecify..")
			.because("the exact solver checks the other one, and shares only the problem with it")
			.check(this.solver);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.solver);
	}

}
