package io.github.vicinal.placement.sources;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class ArchitectureTests {

	private static final String SOURCES = "io.github.vicinal.placement.sources";

	private final JavaClasses sources = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(SOURCES);

	@Test
	void sourcesObserveAndDoNotDecide() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.github.vicinal.placement.solver..", "io.github.vicinal.placement.recommend..")
			.because("what was seen must not depend on what follows from it")
			.check(this.sources);
	}

	@Test
	void onlyOneClassNeedsEachOptionalLibrary() {
		noClasses().that()
			.haveSimpleNameNotStartingWith("Micrometer")
			.and()
			.haveNameNotMatching(".*\\.Micrometer[^.]*")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.micrometer..")
			.because("all other sources work without Micrometer on the class path")
			.check(this.sources);
		noClasses().that()
			.haveSimpleNameNotStartingWith("Compose")
			.and()
			.haveNameNotMatching(".*\\.Compose[^.]*")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.yaml..")
			.because("all other sources work without SnakeYAML on the class path")
			.check(this.sources);
	}

	@Test
	void noSpring() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("the command line uses sources, too")
			.check(this.sources);
	}

	@Test
	void noStaticMutableState() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.sources);
	}

}
