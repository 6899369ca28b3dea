package io.github.vicinal.launcher;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class ArchitectureTests {

	@Test
	void launcherKnowsNothingOfApplications() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "javax.management..", "javax.net.ssl..", "com.sun.management..", "jdk.jfr..",
					"jdk.net..", "tools.jackson.core..", "io.github.vicinal.launcher..", "org.jspecify..")
			.because("it runs applications of any version of Spring Boot, and of Vicinal")
			.check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
				.importPackages("io.github.vicinal.launcher"));
	}

}
