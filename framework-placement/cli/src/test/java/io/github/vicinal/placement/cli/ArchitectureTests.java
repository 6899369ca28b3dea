package io.github.vicinal.placement.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.placement";

	private final JavaClasses commands = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT + ".cli");

	@Test
	void buildsOnPlacementAndPicocliAlone() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages(ROOT + "..", "io.github.vicinal.copackage", "picocli..", "org.yaml.snakeyaml..",
					"tools.jackson..", "java..", "org.slf4j", "org.jspecify..")
			.because("the command line starts without Spring, and without paths and caches")
			.check(this.commands);
	}

	@Test
	void nothingBuildsOnTheCommandLine() {
		noClasses().that()
			.resideOutsideOfPackage(ROOT + ".cli")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".cli")
			.because("models, sources and solvers are used by applications, too")
			.check(new ClassFileImporter().importPackages(ROOT));
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("a command can be run several times in one JVM")
			.check(this.commands);
	}

}
