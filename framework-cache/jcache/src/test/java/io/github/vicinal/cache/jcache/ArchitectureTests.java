package io.github.vicinal.cache.jcache;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal.cache.jcache";

	private final JavaClasses jcache = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void buildsOnPublicCachesAndTheSpecificationAlone() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages(ROOT, "io.github.vicinal.cache", "java..", "javax.cache..", "javax.management..",
					"org.slf4j", "org.jspecify..")
			.because("JCache is used without Spring, on any engine")
			.check(this.jcache);
	}

	@Test
	void applicationsSeeTheProviderAndWhatConfiguresIt() {
		classes().that()
			.arePublic()
			.and()
			.areTopLevelClasses()
			.should()
			.haveNameMatching(".*\\.(VicinalCachingProvider|VicinalConfiguration|Copier)")
			.because("everything else is reached through the interfaces of JCache")
			.check(this.jcache);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.jcache);
	}

}
