package io.github.vicinal.chronicle;

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

	private final JavaClasses chronicle = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.chronicle");

	@Test
	void topicsBuildOnFewModules() {
		noClasses().that()
			.resideInAPackage("io.github.vicinal.chronicle")
			.should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal.chronicle", "io.github.vicinal.topic..",
					"io.github.vicinal.codec", "io.github.vicinal.peer", "io.github.vicinal.boot..",
					"io.github.vicinal.transport.wire", "net.openhft..", "io.micrometer.observation..",
					"tools.jackson..", "java..", "org.slf4j..", "org.jspecify..", "org.springframework..")
			.because(
					"durable topics are another implementation of the interfaces of core, beside shared memory, and accept connections as all servers do")
			.check(this.chronicle);
	}

	@Test
	void thePathBuildsOnFewModules() {
		noClasses().that()
			.resideInAPackage("io.github.vicinal.chronicle.path")
			.should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal.chronicle..", "io.github.vicinal.codec",
					"io.github.vicinal.contract", "io.github.vicinal.path", "io.github.vicinal.peer",
					"io.github.vicinal.server", "io.github.vicinal.topic", "io.github.vicinal.transport.multiplex",
					"io.github.vicinal.transport.wire", "net.openhft..", "java..", "org.slf4j..", "org.jspecify..",
					"org.springframework..")
			.because("the path is another carrier of the frames that other paths send")
			.check(this.chronicle);
	}

	@Test
	void onlyConfigurationKnowsSpring() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("AutoConfiguration")
			.and()
			.haveSimpleNameNotEndingWith("Properties")
			.and()
			.haveNameNotMatching(".*Properties\\$.*")
			.and()
			.haveSimpleNameNotEndingWith("FailureAnalyzer")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("topics and paths are used without Spring, too")
			.check(this.chronicle);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.chronicle);
	}

}
