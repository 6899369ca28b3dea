package io.github.vicinal;

import java.util.Arrays;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal";

	private static final String[] OWN_PACKAGES = { ROOT + ".contract..", ROOT + ".codec..", ROOT + ".peer..",
			ROOT + ".channel..", ROOT + ".server..", ROOT + ".choice..", ROOT + ".replica..", ROOT + ".path..",
			ROOT + ".selection..", ROOT + ".report..", ROOT + ".requestserver..", ROOT + ".observation..",
			ROOT + ".exchange..", ROOT + ".topic.." };

	private final JavaClasses core = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	@Test
	void noSpring() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.because("core is used outside of Spring too; Spring belongs to the module spring-boot")
			.check(this.core);
	}

	@Test
	void noOtherModule() {
		noClasses().that()
			.resideInAnyPackage(OWN_PACKAGES)
			.should()
			.dependOnClassesThat(DescribedPredicate.describe("are in another module",
					(type) -> type.getPackageName().startsWith(ROOT) && Arrays.stream(OWN_PACKAGES)
						.noneMatch((own) -> (type.getPackageName() + ".").startsWith(own.replace("..", ".")))))
			.because("all other modules build on core")
			.check(this.core);
	}

	@Test
	void noStaticMutableState() {
		fields().that()
			.areStatic()
			.should(beFinal())
			.because("services get merged into one JVM and must not meet in static state")
			.check(this.core);
		noFields().that()
			.areStatic()
			.should(changeable())
			.because("a static collection or atomic is state that all services share")
			.check(this.core);
	}

	/** Set, List and Map are not listed: Set.of() and its kind are constants. */
	private static ArchCondition<JavaField> changeable() {
		return new ArchCondition<>("be of a class that can change") {
			@Override
			public void check(JavaField field, ConditionEvents events) {
				JavaClass type = field.getRawType();
				boolean changeable = type.getPackageName().startsWith("java.util.concurrent")
						|| type.isAssignableTo(ThreadLocal.class)
						|| type.getSimpleName().matches("(Weak|Linked)?(Hash|Tree|Array|Identity).*(Map|Set|List)");
				events.add(new SimpleConditionEvent(field, changeable, field.getDescription()));
			}
		};
	}

	private static ArchCondition<JavaField> beFinal() {
		return new ArchCondition<>("be final") {
			@Override
			public void check(JavaField field, ConditionEvents events) {
				boolean fin = field.getModifiers().contains(JavaModifier.FINAL);
				events.add(new SimpleConditionEvent(field, fin, field.getDescription()));
			}
		};
	}

	@Test
	void noPackageCycles() {
		slices().matching(ROOT + ".(*)..")
			.should()
			.beFreeOfCycles()
			.because("each package is to be understood without those that build on it")
			.check(this.core);
	}

}
