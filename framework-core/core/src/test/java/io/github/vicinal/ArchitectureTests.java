package io.github.vicinal;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class ArchitectureTests {

	private static final String ROOT = "io.github.vicinal";

	private static final String[] OWN_PACKAGES = { ROOT + ".contract..", ROOT + ".codec..", ROOT + ".peer..",
			ROOT + ".channel..", ROOT + ".server..", ROOT + ".choice.." };

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
			.dependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe("are in another module",
					(type) -> type.getPackageName().startsWith(ROOT) && java.util.Arrays.stream(OWN_PACKAGES)
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
		fields().that()
			.areStatic()
			.and(com.tngtech.archunit.base.DescribedPredicate.describe("can change",
					(JavaField field) -> isMutable(field)))
			.should(com.tngtech.archunit.lang.conditions.ArchConditions.never(beFinal()))
			.because("a static collection, array or atomic is state that all services share")
			.allowEmptyShould(true)
			.check(this.core);
	}

	/** Sets, lists and maps are not listed: Set.of() and its kind are constants. */
	private static boolean isMutable(JavaField field) {
		boolean constants = field.getModifiers().contains(JavaModifier.SYNTHETIC) || field.getName().equals("$VALUES")
				|| field.getName().startsWith("$SwitchMap$");
		return !constants && (field.getRawType().getPackageName().startsWith("java.util.concurrent")
				|| field.getRawType().isAssignableTo(ThreadLocal.class)
				|| field.getRawType().getSimpleName().matches("(Hash|LinkedHash|Tree|Array|WeakHash).*(Map|Set|List)"));
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

	@Test
	void codecsWorkWithoutFory() {
		noClasses().that()
			.haveNameNotMatching(".*\\.codec\\.(ForyCodec|Shape|Shapes)(\\$.*)?")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.apache.fory..")
			.because("Fory is optional: only classes that are loaded where it is present may name it")
			.check(this.core);
	}

}
