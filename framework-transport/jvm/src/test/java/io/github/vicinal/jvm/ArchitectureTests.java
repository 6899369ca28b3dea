package io.github.vicinal.jvm;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

class ArchitectureTests {

	@Test
	void nothingButTheJdkCrossesClassLoaders() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "io.github.vicinal.jvm..", "org.jspecify..")
			.because("the parent of all applications' class loaders has nothing else")
			.check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
				.importPackages("io.github.vicinal.jvm"));
	}

}
