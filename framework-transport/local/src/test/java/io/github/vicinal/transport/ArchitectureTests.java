package io.github.vicinal.transport;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.transport";

	private final JavaClasses transport = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void buildsOnCoreAlone() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal..", "java..", "javax.crypto..", "javax.management..",
					"javax.net.ssl..", "javax.security.auth.x500", "jdk.net", "sun.misc", "tools.jackson.databind.json",
					"org.slf4j", "org.jspecify..")
			.because("paths within one host need no third-party code but the mapper of core's codec")
			.check(this.transport);
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.github.vicinal.boot..", "io.github.vicinal.cache..",
					"io.github.vicinal.placement..")
			.because("paths are used without Spring, caches and placement")
			.check(this.transport);
	}

	@Test
	void onePathKnowsNoOther() {
		for (String[] pair : new String[][] { { "direct", "shm" }, { "direct", "uds" }, { "shm", "direct" },
				{ "shm", "uds" }, { "uds", "direct" }, { "uds", "shm" } }) {
			noClasses().that()
				.resideInAPackage(ROOT + "." + pair[0] + "..")
				.should()
				.dependOnClassesThat()
				.resideInAPackage(ROOT + "." + pair[1] + "..")
				.because("each path can be used alone")
				.check(this.transport);
		}
		noClasses().that()
			.resideInAPackage(ROOT + ".wire..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".direct..", ROOT + ".shm..", ROOT + ".uds..")
			.because("frames and limits are what the paths have in common")
			.check(this.transport);
	}

	@Test
	void directCallsNeedNoWire() {
		noClasses().that()
			.resideInAPackage(ROOT + ".direct..")
			.and()
			.haveSimpleNameNotStartingWith("Frame")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".wire..")
			.because("a call between applications with the same classes writes no frames")
			.check(this.transport);
	}

	@Test
	void waitingKnowsNeitherLanesNorBells() {
		noClasses().that()
			.resideInAPackage(ROOT + ".shm.waiting..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".shm", ROOT + ".shm.lane..", ROOT + ".shm.bell..", ROOT + ".wire..")
			.because("how long to spin depends on measured times alone")
			.check(this.transport);
		noClasses().that()
			.resideInAPackage(ROOT + ".shm.bell..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".shm", ROOT + ".shm.lane..", ROOT + ".shm.waiting..")
			.because("a bell wakes a thread, whatever it waits for")
			.check(this.transport);
		noClasses().that()
			.resideInAPackage(ROOT + ".shm.lane..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".shm")
			.because("lanes carry payloads of any connection")
			.check(this.transport);
	}

	@Test
	void noPackageCycles() {
		slices().matching(ROOT + ".(**)")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.transport);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.transport);
	}

}
