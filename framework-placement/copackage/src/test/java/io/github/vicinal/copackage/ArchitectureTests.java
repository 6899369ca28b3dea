package io.github.vicinal.copackage;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class ArchitectureTests {

	@Test
	void checksWithoutSpring() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "io.github.vicinal.boot..", "io.github.vicinal.transport..",
					"io.github.vicinal.cache..")
			.because("it reads jars of any version of them")
			.check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
				.importPackages("io.github.vicinal.copackage"));
	}

}
