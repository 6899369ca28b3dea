package io.github.vicinal.copackage.maven;

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

	private final JavaClasses goals = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.vicinal.copackage.maven");

	@Test
	void buildsOnFewModules() {
		noClasses().should()
			.dependOnClassesThat()
			.resideOutsideOfPackages("io.github.vicinal.copackage..", "org.apache.maven..", "org.eclipse.aether..",
					"javax.inject..", "javax.xml..", "org.w3c.dom..", "org.xml.sax..", "java..", "org.jspecify..")
			.because("the goals do nothing that the command cannot do")
			.check(this.goals);
	}

	@Test
	void staticFieldsAreFinal() {
		fields().that()
			.areStatic()
			.should()
			.haveModifier(JavaModifier.FINAL)
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.goals);
	}

}
