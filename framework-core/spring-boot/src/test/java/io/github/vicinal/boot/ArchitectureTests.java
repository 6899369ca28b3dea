package io.github.vicinal.boot;

import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Rules of dependencies and of beans. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal";

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT);

	@Test
	void onlyThisModuleKnowsSpring() {
		noClasses().that()
			.resideOutsideOfPackages(ROOT + ".boot..", ROOT + ".testkit..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("core and transports serve applications of any kind")
			.check(this.classes);
	}

	@Test
	void theKitKnowsNoSpringBoot() {
		noClasses().that()
			.resideInAPackage(ROOT + ".testkit..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot..")
			.because("the kit is for paths of any origin")
			.check(this.classes);
	}

	@Test
	void transportsDoNotKnowTheirUsers() {
		noClasses().that()
			.resideInAPackage(ROOT + ".transport..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".boot..")
			.because("a path is chosen by configuration, not by code")
			.check(this.classes);
	}

	@Test
	void channelsFindPathsThroughInterfaces() {
		noClasses().that()
			.resideInAPackage(ROOT + ".boot..")
			.and()
			.resideOutsideOfPackage(ROOT + ".boot.transport..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".transport..", ROOT + ".boot.transport..")
			.because("a kind of path touches its own module and its auto-configuration")
			.check(this.classes);
	}

	@Test
	void cachesAndPlacementBuildOnThisModule() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".cache..", ROOT + ".placement..", ROOT + ".boot.cache..",
					ROOT + ".boot.placement..")
			.because("each feature keeps its auto-configuration")
			.check(this.classes);
	}

	@Test
	void packagesAreFreeOfCycles() {
		slices().matching(ROOT + ".boot.(*)..")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.classes);
	}

	@Test
	void reactiveServersNeedNoServlets() {
		noClasses().that()
			.resideInAPackage(ROOT + ".boot..")
			.and()
			.haveSimpleNameStartingWith("Reactive")
			.should()
			.dependOnClassesThat(assignableTo(resideInAPackage("jakarta.servlet..")))
			.because("applications on WebFlux have no servlet classes, so such a class cannot be loaded there")
			.check(this.classes);
	}

	@Test
	void clientsAndServersDoNotKnowEachOther() {
		noClasses().that()
			.resideInAPackage(ROOT + ".boot.client..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".boot.server..")
			.because("most applications are only one of both")
			.check(this.classes);
		noClasses().that()
			.resideInAPackage(ROOT + ".boot.server..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".boot.client..")
			.because("most applications are only one of both")
			.check(this.classes);
	}

	@Test
	void autoConfigurationsAreFinalAndTheirBeansPackagePrivate() {
		classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
			.because("they are no API")
			.check(this.classes);
		methods().that()
			.areDeclaredInClassesThat()
			.areAnnotatedWith(AutoConfiguration.class)
			.and()
			.areAnnotatedWith(org.springframework.context.annotation.Bean.class)
			.should()
			.bePackagePrivate()
			.because("they are no API")
			.check(this.classes);
	}

	@Test
	void noBeanIsAFunction() {
		methods().that()
			.areAnnotatedWith(org.springframework.context.annotation.Bean.class)
			.should()
			.notHaveRawReturnType(
					assignableTo(Supplier.class).or(assignableTo(Function.class)).or(assignableTo(Consumer.class)))
			.because("Spring Cloud Stream takes such beans for functions of the application")
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
		fields().that()
			.areDeclaredInClassesThat()
			.resideInAPackage(ROOT + ".boot..")
			.and()
			.areStatic()
			.should()
			.beFinal()
			.because("several applications share a JVM")
			.check(this.classes);
	}

}
