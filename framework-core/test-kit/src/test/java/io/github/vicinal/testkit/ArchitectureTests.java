package io.github.vicinal.testkit;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.testkit";

	private final JavaClasses kit = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void knowsNeitherVicinalNorSpringBoot() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot..")
			.because("the kit is for paths of any origin")
			.check(this.kit);
		noClasses().should()
			.dependOnClassesThat(resideInAPackage("io.github.vicinal..").and(resideOutsideOfPackage(ROOT + "..")))
			.because("its oracle is plain HTTP through Spring")
			.check(this.kit);
	}

	@Test
	void contractsKnowNoServer() {
		noClasses().that()
			.resideInAPackage(ROOT + ".contract..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".server..", ROOT)
			.because("clients and servers share the contracts alone")
			.check(this.kit);
	}

	@Test
	void noPackageCycles() {
		slices().matching("io.github.vicinal.(**)")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.kit);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.beFinal()
			.because("applications of several class loaders share a JVM")
			.check(this.kit);
	}

}
