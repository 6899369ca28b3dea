package io.github.vicinal.cache.spring;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class ArchitectureTests {

	@Test
	void noBootAndNoOtherModule() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.boot..", "io.github.vicinal.transport..",
					"io.github.vicinal.boot..")
			.because("Spring Framework and the cache engines are all that this module builds on")
			.check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
				.importPackages("io.github.vicinal.cache.spring"));
	}

}
