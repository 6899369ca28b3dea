package io.github.vicinal.boot.placement;

import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Rules of dependencies and visibility. */
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal";

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT + ".boot.placement");

	@Test
	void featuresDoNotKnowEachOther() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".cache..", ROOT + ".boot.cache..", ROOT + ".boot.server..",
					ROOT + ".transport..")
			.because("each feature can be used without the others")
			.check(this.classes);
	}

	@Test
	void noBeanIsAFunction() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.notHaveRawReturnType(
					assignableTo(Supplier.class).or(assignableTo(Function.class)).or(assignableTo(Consumer.class)))
			.because("Spring Cloud Stream takes such beans for functions of the application")
			.check(this.classes);
	}

	@Test
	void onlyApiIsPublic() {
		classes().that()
			.arePublic()
			.and()
			.areTopLevelClasses()
			.should()
			.beAnnotatedWith(AutoConfiguration.class)
			.orShould()
			.haveNameMatching(".*\\.(PlacementEndpoint)")
			.because("what nobody else needs may change at any time")
			.check(this.classes);
	}

	@Test
	void autoConfigurationsAreFinalAndTheirBeansPackagePrivate() {
		classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL)
			.because("they are no API")
			.check(this.classes);
		methods().that()
			.areDeclaredInClassesThat()
			.areAnnotatedWith(AutoConfiguration.class)
			.and()
			.areAnnotatedWith(Bean.class)
			.should()
			.bePackagePrivate()
			.because("they are no API")
			.check(this.classes);
	}

	@Test
	void idsOfEndpointsClashWithNoOther() {
		assertThat(this.classes.stream()
			.filter((type) -> type.isAnnotatedWith(Endpoint.class))
			.map((type) -> type.getAnnotationOfType(Endpoint.class).id())).isNotEmpty()
			.allMatch((id) -> id.startsWith("vicinal"));
	}

	@Test
	void nothingStaticChanges() {
		fields().that().areStatic().should().beFinal().because("several applications share a JVM").check(this.classes);
	}

}
