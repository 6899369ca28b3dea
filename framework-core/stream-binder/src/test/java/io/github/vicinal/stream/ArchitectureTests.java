package io.github.vicinal.stream;

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

	private final JavaClasses binder = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.stream");

	@Test
	void buildsOnTopicsAndSpringCloudStream() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal.stream..", "io.github.vicinal.topic..",
					"io.github.vicinal.boot.topic..", "java..", "org.apache.commons.logging", "org.jspecify..",
					"org.springframework..")
			.because("the binder uses topics as applications do")
			.check(this.binder);
	}

	@Test
	void onlyTheAutoConfigurationAndPropertiesThatCallbacksGetArePublic() {
		classes().that()
			.doNotHaveSimpleName("VicinalStreamAutoConfiguration")
			.and()
			.doNotHaveSimpleName("VicinalProducerProperties")
			.should()
			.notBePublic()
			.because("applications call nothing else of the binder")
			.check(this.binder);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.binder);
	}

}
