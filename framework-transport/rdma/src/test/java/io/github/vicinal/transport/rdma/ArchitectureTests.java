package io.github.vicinal.transport.rdma;

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

	private final JavaClasses rdma = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.transport.rdma");

	@Test
	void buildsOnCoreAndTheFramesOfLocalPaths() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal..", "java..", "javax.net.ssl", "javax.security.auth.x500",
					"org.slf4j", "org.jspecify..", "org.springframework..")
			.because("devices are reached through the foreign functions of the JDK, without a library of ours")
			.check(this.rdma);
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.github.vicinal.boot..", "io.github.vicinal.cache..",
					"io.github.vicinal.placement..", "io.github.vicinal.transport.direct..",
					"io.github.vicinal.transport.shm..", "io.github.vicinal.transport.uds..",
					"io.github.vicinal.transport.tcp..")
			.because("a kind of path shares only frames with the others, and is found through core's interfaces")
			.check(this.rdma);
	}

	@Test
	void onlyConfigurationKnowsSpring() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("AutoConfiguration")
			.and()
			.haveSimpleNameNotEndingWith("Properties")
			.and()
			.haveNameNotMatching(".*Properties\\$.*")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("the path is used without Spring, too")
			.check(this.rdma);
	}

	@Test
	void foreignFunctionsAreNamedInOneImplementationOnly() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("java.lang.foreign..")
			.because("Java 17 loads these classes; calls of the kernel are in the sources for Java 22")
			.check(this.rdma);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.rdma);
	}

}
