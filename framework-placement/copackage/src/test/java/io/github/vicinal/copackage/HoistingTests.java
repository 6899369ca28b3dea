package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Libraries that may be loaded once beside those that applications have for themselves.
 */
class HoistingTests {

	private static final String SPRING = "spring-thing-1.jar";

	@TempDir
	private Path directory;

	/** Two applications, both with a library of Spring that keeps state. */
	private Hoisting.Plan plan(Hoist mode, UnaryOperator<TestJar> both, UnaryOperator<TestJar> second)
			throws IOException {
		List<Inventory> inventories = new ArrayList<>();
		for (String name : List.of("one", "other")) {
			TestJar jar = both.apply(TestJar.boot()
				.library("spring-thing", "1", Map.of("org/springframework/thing/Thing.class",
						TestJar.stateful("org/springframework/thing/Thing"), "org/springframework/thing/Namer.class",
						TestJar.type("org/springframework/thing/Namer", "driver.Driver"))));
			jar = name.equals("other") ? second.apply(jar) : jar;
			inventories.addAll(Inventories.read(List.of(name + "=" + jar.write(this.directory, name))));
		}
		return Hoisting.plan(inventories, mode);
	}

	private String refusal(UnaryOperator<TestJar> second) throws IOException {
		Hoisting.Plan plan = plan(Hoist.KNOWN, UnaryOperator.identity(), second);
		assertThat(plan.files()).doesNotContain(SPRING);
		return String.valueOf(plan.kept().get(SPRING));
	}

	@Test
	void knownLibrariesMayKeepState() throws IOException {
		assertThat(plan(Hoist.KNOWN, UnaryOperator.identity(), UnaryOperator.identity()).files()).contains(SPRING);
		assertThat(plan(Hoist.STATELESS, UnaryOperator.identity(), UnaryOperator.identity()).kept().get(SPRING))
			.contains("it keeps")
			.contains("in a static field of org.springframework.thing.Thing");
		assertThat(plan(Hoist.NONE, UnaryOperator.identity(), UnaryOperator.identity()).files()).isEmpty();
	}

	@Test
	void nothingIsSharedWithNobody() throws IOException {
		List<Inventory> one = Inventories
			.read(List.of("one=" + TestJar.boot().library("api", "1").write(this.directory, "one")));
		Hoisting.Plan plan = Hoisting.plan(one, Hoist.KNOWN);
		assertThat(plan.files()).isEmpty();
		assertThat(plan.kept()).hasSameSizeAs(one.get(0).libraries())
			.containsEntry("api-1.jar", "there is no other application");
	}

	@Test
	void otherLibrariesMayNot() throws IOException {
		Hoisting.Plan plan = plan(Hoist.KNOWN,
				(jar) -> jar.library("database", "1", Map.of("db/Engine.class", TestJar.stateful("db/Engine"))),
				UnaryOperator.identity());
		assertThat(plan.files()).contains(SPRING).doesNotContain("database-1.jar");
		assertThat(plan.kept().get("database-1.jar")).contains("db.Engine");
	}

	/** A class that creates an attribute of Netty fails if it is loaded twice. */
	@Test
	void usersOfNettyAreLoadedWithIt() throws IOException {
		UnaryOperator<TestJar> netty = (jar) -> jar.library("netty-common", "4",
				Map.of("io/netty/util/AttributeKey.class", TestJar.stateful("io/netty/util/AttributeKey")));
		byte[] springs = TestJar.caller("org/springframework/net/Client", "io/netty/util/AttributeKey", "newInstance",
				"()V");
		UnaryOperator<TestJar> both = netty.andThen((jar) -> jar.library("spring-net", "1",
				Map.of("org/springframework/net/Client.class", springs)))::apply;
		assertThat(plan(Hoist.KNOWN, both, UnaryOperator.identity()).files()).contains("netty-common-4.jar",
				"spring-net-1.jar");
		Hoisting.Plan own = plan(Hoist.KNOWN, both, (jar) -> jar.entry("BOOT-INF/classes/shop/Client.class",
				TestJar.caller("shop/Client", "io/netty/util/AttributeKey", "newInstance", "()V")));
		assertThat(own.files()).doesNotContain("netty-common-4.jar", "spring-net-1.jar");
		assertThat(own.kept()).containsEntry("netty-common-4.jar",
				"its package io.netty.util is used by shop.Client of 'other', which is not loaded once");
		Hoisting.Plan unknown = plan(Hoist.KNOWN, both, (jar) -> jar.library("driver", "1", Map.of("db/Driver.class",
				TestJar.caller("db/Driver", "io/netty/util/AttributeKey", "newInstance", "()V"))));
		assertThat(unknown.kept().get("netty-common-4.jar")).contains("io.netty.util is used by driver-1.jar");
	}

	@Test
	void libraryOfOneThatIsNamedAsTextIsSeenByItsOwner() throws IOException {
		assertThat(refusal(
				(jar) -> jar.library("driver", "1", Map.of("driver/Driver.class", TestJar.type("driver/Driver", "")))))
			.isEqualTo("it names the class driver.Driver of driver-1.jar");
	}

	@Test
	void implementationsOfServicesAreSeenByTheirUser() throws IOException {
		assertThat(refusal(
				(jar) -> jar.entry("BOOT-INF/classes/META-INF/services/org.springframework.thing.Thing", new byte[1])))
			.isEqualTo("its service org.springframework.thing.Thing is implemented by 'other'");
	}

	/** {@code DriverManager} answers with drivers that the calling class can see. */
	@Test
	void driversAreSeenByWhatLooksForThem() throws IOException {
		UnaryOperator<TestJar> pool = (jar) -> jar.library("spring-pool", "1",
				Map.of("org/springframework/pool/Pool.class", TestJar.caller("org/springframework/pool/Pool",
						"java/sql/DriverManager", "getDrivers", "()Ljava/util/Enumeration;")));
		assertThat(plan(Hoist.KNOWN, pool, UnaryOperator.identity()).files()).contains("spring-pool-1.jar");
		assertThat(plan(Hoist.KNOWN, pool,
				(jar) -> jar.library("driver", "1",
						Map.of("META-INF/services/java.sql.Driver", new byte[1], "own/Driver.class",
								TestJar.type("own/Driver", ""))))
			.kept()
			.get("spring-pool-1.jar"))
			.isEqualTo("it looks for a java.sql.Driver, and would not find that of driver-1.jar");
	}

	@Test
	void filesAreSeenByWhatLooksForThemBesideItself() throws IOException {
		UnaryOperator<TestJar> core = (jar) -> jar.library("spring-core", "1",
				Map.of("org/springframework/core/C.class", TestJar.type("org/springframework/core/C", "")));
		assertThat(plan(Hoist.KNOWN, core, UnaryOperator.identity()).files()).contains("spring-core-1.jar");
		assertThat(plan(Hoist.KNOWN, core, (jar) -> jar.resource("spring.properties", "a=b")).kept()
			.get("spring-core-1.jar")).isEqualTo("it would not find spring.properties of 'other'");
	}

	/** Of a library that nothing is known of, any text may be the name of a file. */
	@Test
	void filesThatALibraryNamesAreSeenByIt() throws IOException {
		for (String name : List.of("reader.properties", "META-INF/reader.xml")) {
			UnaryOperator<TestJar> reader = (jar) -> jar.library("reader", "1",
					Map.of("reader/Reader.class", TestJar.type("reader/Reader", "/" + name)));
			assertThat(plan(Hoist.STATELESS, reader, UnaryOperator.identity()).files()).contains("reader-1.jar");
			assertThat(plan(Hoist.STATELESS, reader, (jar) -> jar.resource(name, "a=b")).kept().get("reader-1.jar"))
				.isEqualTo("it names the file %s of 'other'".formatted(name));
		}
		assertThat(plan(Hoist.KNOWN,
				(jar) -> jar.library("spring-reader", "1",
						Map.of("org/springframework/reader/R.class",
								TestJar.type("org/springframework/reader/R", "reader.properties"))),
				(jar) -> jar.resource("reader.properties", "a=b"))
			.files()).contains("spring-reader-1.jar");
	}

	/** Names of classes may have any letter. */
	@Test
	void descriptorsNameClassesOfAnyLetters() throws IOException {
		UnaryOperator<TestJar> user = (jar) -> jar.library("user", "1",
				Map.of("user/User.class", TestJar.caller("user/User", "user/User", "make", "(Lm\u00e4rz/Day;)V")));
		assertThat(plan(Hoist.STATELESS, user, UnaryOperator.identity()).files()).contains("user-1.jar");
		assertThat(
				plan(Hoist.STATELESS, user, (jar) -> jar.ownClass("m\u00e4rz/Day", TestJar.type("m\u00e4rz/Day", "")))
					.kept()
					.get("user-1.jar"))
			.isEqualTo("it names the package m\u00e4rz of 'other'");
	}

	@Test
	void packagesAreNotSplit() throws IOException {
		assertThat(refusal((jar) -> jar.library("more-things", "1",
				Map.of("org/springframework/thing/More.class", TestJar.type("org/springframework/thing/More", "")))))
			.isEqualTo("its package org.springframework.thing is in more-things-1.jar, too");
	}

	private static UnaryOperator<TestJar> both(String file, String type, byte[] bytes) {
		return (jar) -> jar.library(file, "1", Map.of(type + ".class", bytes));
	}

	private static UnaryOperator<TestJar> calling(String owner, String method, String descriptor) {
		return (jar) -> jar.ownClass("shop/Own", TestJar.caller("shop/Own", owner, method, descriptor));
	}

	/** An accessor of one application would replace that of the other. */
	@Test
	void registriesThatAnApplicationChangesAreNotShared() throws IOException {
		String type = "io/micrometer/context/ContextRegistry";
		UnaryOperator<TestJar> registry = both("context-propagation", type,
				TestJar.methods(type, "registerThreadLocalAccessor", "getThreadLocalAccessors"));
		assertThat(plan(Hoist.KNOWN, registry, calling(type, "getThreadLocalAccessors", "()V")).files())
			.contains("context-propagation-1.jar");
		assertThat(plan(Hoist.KNOWN, registry, calling(type, "registerThreadLocalAccessor", "()V")).kept())
			.containsEntry("context-propagation-1.jar",
					"what its io.micrometer.context.ContextRegistry.registerThreadLocalAccessor changes would hold for all, and shop.Own of 'other' uses it");
		assertThat(plan(Hoist.KNOWN, registry,
				(jar) -> jar.library("tenant", "1",
						Map.of("tenant/Tenant.class",
								TestJar.caller("tenant/Tenant", type, "registerThreadLocalAccessor", "()V"))))
			.kept()
			.get("context-propagation-1.jar")).endsWith("and tenant-1.jar uses it");
	}

	/** Spring Boot does so, too, but a property turns that off. */
	@Test
	void theStaticRegistryOfMetersIsNotSharedByThoseThatUseIt() throws IOException {
		String type = "io/micrometer/core/instrument/Metrics";
		UnaryOperator<TestJar> meters = both("micrometer-core", type, TestJar.methods(type, "counter"));
		Hoisting.Plan used = plan(Hoist.KNOWN, meters, calling(type, "counter", "()V"));
		assertThat(used.kept().get("micrometer-core-1.jar"))
			.startsWith("what its io.micrometer.core.instrument.Metrics.counter changes");
		assertThat(used.systemProperties()).isEmpty();
		Hoisting.Plan boot = plan(Hoist.KNOWN, meters,
				(jar) -> jar.library("spring-boot-meters", "1", Map.of("org/springframework/boot/Meters.class",
						TestJar.caller("org/springframework/boot/Meters", type, "counter", "()V"))));
		assertThat(boot.files()).contains("micrometer-core-1.jar");
		assertThat(boot.systemProperties()).containsEntry("management.metrics.use-global-registry", "false");
	}

	@Test
	void switchesThatAnApplicationTurnsAreNotShared() throws IOException {
		String type = "org/springframework/thing/Switch";
		for (String method : List.of("setMode", "addListener")) {
			boolean adds = method.equals("addListener");
			String field = adds ? "Ljava/util/ArrayList;" : "Ljava/lang/String;";
			UnaryOperator<TestJar> library = both("spring-switch", type,
					TestJar.setter(type, method, field, adds ? "add" : ""));
			assertThat(plan(Hoist.KNOWN, library, calling(type, method, "(" + field + ")V")).kept()
				.get("spring-switch-1.jar")).contains("Switch." + method + " changes would hold for all");
			assertThat(plan(Hoist.KNOWN, library, calling(type, "reset", "()V")).files())
				.contains("spring-switch-1.jar");
		}
		String holder = "org/springframework/thing/Holder";
		UnaryOperator<TestJar> local = both("spring-holder", holder,
				TestJar.setter(holder, "setContext", "Ljava/lang/ThreadLocal;", "set"));
		assertThat(plan(Hoist.KNOWN, local, calling(holder, "setContext", "(Ljava/lang/ThreadLocal;)V")).files())
			.contains("spring-holder-1.jar");
	}

	/** Others have methods of the same names. */
	@Test
	void sharedObjectsThatAreChangedAreNotShared() throws IOException {
		String type = "org/springframework/core/convert/support/DefaultConversionService";
		UnaryOperator<TestJar> core = both("spring-conversion", type,
				TestJar.methods(type, "getSharedInstance", "addConverter"));
		UnaryOperator<TestJar> reads = calling(type, "getSharedInstance", "()V");
		assertThat(plan(Hoist.KNOWN, core, reads).files()).contains("spring-conversion-1.jar");
		assertThat(plan(Hoist.KNOWN, core,
				(jar) -> jar.ownClass("shop/Own",
						TestJar.callers("shop/Own", type, "getSharedInstance", "addConverter")))
			.kept()
			.get("spring-conversion-1.jar")).contains("DefaultConversionService.getSharedInstance");
	}

	/** An application's own classes come first in its class path. */
	@Test
	void resourcesAreNotHidden() throws IOException {
		UnaryOperator<TestJar> settings = (jar) -> jar.library("spring-settings", "1",
				Map.of("settings.xml", new byte[1], "org/springframework/settings/S.class",
						TestJar.type("org/springframework/settings/S", "")));
		assertThat(plan(Hoist.KNOWN, settings, UnaryOperator.identity()).files()).contains("spring-settings-1.jar");
		assertThat(plan(Hoist.KNOWN, settings, (jar) -> jar.resource("settings.xml", "<own/>")).kept()
			.get("spring-settings-1.jar")).isEqualTo("its resource settings.xml is in 'other', too");
	}

	@Test
	void logsThatCannotBeKeptApartAreNotShared() throws IOException {
		Map<String, byte[]> api = Map.of("org/slf4j/LoggerFactory.class", TestJar.stateful("org/slf4j/LoggerFactory"));
		Map<String, byte[]> logback = Map.of("ch/qos/logback/L.class", TestJar.stateful("ch/qos/logback/L"));
		assertThat(plan(Hoist.KNOWN, (jar) -> jar.library("slf4j-api", "2.0.17", api), UnaryOperator.identity()).kept()
			.get("slf4j-api-2.0.17.jar")).contains("one log for all");
		assertThat(plan(Hoist.KNOWN,
				(jar) -> jar.library("slf4j-api", "2.0.8", api).library("logback-classic", "1.5.0", logback),
				UnaryOperator.identity())
			.kept()
			.get("slf4j-api-2.0.8.jar")).contains("older than 2.0.9");
		Hoisting.Plan plan = plan(Hoist.KNOWN,
				(jar) -> jar.library("slf4j-api", "2.0.17", api).library("logback-classic", "1.5.0", logback),
				UnaryOperator.identity());
		assertThat(plan.files()).contains("slf4j-api-2.0.17.jar");
		assertThat(plan.sharesLog()).isTrue();
	}

}
