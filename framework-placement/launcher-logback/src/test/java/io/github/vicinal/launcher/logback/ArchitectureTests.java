package io.github.vicinal.launcher.logback;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;

class ArchitectureTests {

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.github.vicinal.launcher.logback");

	@Test
	void knowsOnlyWhatApplicationsLogWith() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.slf4j..", "ch.qos.logback..", "org.jspecify..",
					"io.github.vicinal.launcher.logback..")
			.because("the applications bring SLF4J and Logback, and nothing else is there")
			.check(this.classes);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.and()
			.areNotDeclaredIn(ApplicationLogs.class)
			.should()
			.beFinal()
			.because(
					"all applications of the JVM share these classes; the launcher sets the owner of threads in one of them")
			.check(this.classes);
	}

}
