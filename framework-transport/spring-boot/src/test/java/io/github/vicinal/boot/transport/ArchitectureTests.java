package io.github.vicinal.boot.transport;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Rules of dependencies and visibility. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal";

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT + ".boot.transport");

	@Test
	void channelsFindPathsThroughInterfaces() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".boot.actuate..", ROOT + ".boot.autoconfigure..", ROOT + ".boot.client..",
					ROOT + ".boot.server..", ROOT + ".boot.cache..", ROOT + ".boot.placement..")
			.because("a kind of path touches its own module and its auto-configuration")
			.check(this.classes);
	}

	@Test
	void onlyAutoConfigurationsArePublic() {
		classes().that()
			.arePublic()
			.should()
			.beAnnotatedWith(AutoConfiguration.class)
			.andShould()
			.haveModifier(JavaModifier.FINAL)
			.because("they are no API")
			.check(this.classes);
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.bePackagePrivate()
			.because("they are no API")
			.check(this.classes);
	}

	@Test
	void nothingStaticChanges() {
		fields().that().areStatic().should().beFinal().because("several applications share a JVM").check(this.classes);
	}

}
