package io.github.vicinal.transport.tcp;

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

	private final JavaClasses tcp = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.transport.tcp");

	@Test
	void buildsOnCoreTheFramesOfLocalPathsAndNetty() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal..", "java..", "javax.net.ssl", "javax.security.auth.x500",
					"io.netty..", "org.slf4j", "org.jspecify..", "org.springframework..")
			.because("sockets and TLS come from Netty, and nothing else is needed")
			.check(this.tcp);
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.github.vicinal.boot..", "io.github.vicinal.cache..",
					"io.github.vicinal.placement..", "io.github.vicinal.transport.direct..",
					"io.github.vicinal.transport.shm..", "io.github.vicinal.transport.uds..",
					"io.github.vicinal.transport.rdma..")
			.because("a kind of path shares only frames with the others, and is found through core's interfaces")
			.check(this.tcp);
	}

	@Test
	void onlyConfigurationKnowsSpring() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("AutoConfiguration")
			.and()
			.haveSimpleNameNotEndingWith("Properties")
			.and()
			.haveSimpleNameNotStartingWith("SslBundle")
			.and()
			.haveSimpleNameNotStartingWith("Discovery")
			.and()
			.haveNameNotMatching(".*Properties\\$.*")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("the path is used without Spring, too")
			.check(this.tcp);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.tcp);
	}

}
