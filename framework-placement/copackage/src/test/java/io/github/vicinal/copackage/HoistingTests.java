package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.Opcodes;

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
	void whatAnotherApplicationHasOfALibraryIsSaid() throws IOException {
		TestJar one = TestJar.boot()
			.library("missing", "1")
			.library("newer", "1")
			.library("patched", "1", Map.of("p/P.class", TestJar.type("p/P", "1")));
		TestJar other = TestJar.boot()
			.library("newer", "2")
			.library("patched", "1", Map.of("p/P.class", TestJar.type("p/P", "2")));
		Hoisting.Plan plan = Hoisting.plan(Inventories
			.read(List.of("one=" + one.write(this.directory, "one"), "other=" + other.write(this.directory, "other"))),
				Hoist.KNOWN);
		assertThat(plan.kept()).containsEntry("missing-1.jar", "'other' does not have it")
			.containsEntry("newer-1.jar", "'other' has version 2 of it")
			.containsEntry("patched-1.jar", "'other' has other bytes of it");
	}

	/** The layout brings it along for all, whatever the applications have. */
	@Test
	void whatTheLayoutLoadsOnceIsNotSaidToBeLoadedTwice() throws IOException {
		TestJar one = TestJar.boot()
			.library("vicinal-jvm", "1", Map.of("io/github/vicinal/jvm/Neighbours.class",
					TestJar.stateful("io/github/vicinal/jvm/Neighbours")));
		Hoisting.Plan plan = Hoisting.plan(Inventories.read(List.of("one=" + one.write(this.directory, "one"),
				"other=" + TestJar.boot().write(this.directory, "other"))), Hoist.KNOWN);
		assertThat(plan.kept()).doesNotContainKey("vicinal-jvm-1.jar");
	}

	/** There is one object of each constant, and its fields are what it keeps. */
	@Test
	void constantsOfEnumerationsMayKeepState() throws IOException {
		int constant = Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
		for (byte[] type : List.of(TestJar.enumeration("r/Registry", constant, "entries", "Ljava/util/Map;"),
				TestJar.enumeration("r/Registry", Opcodes.ACC_PRIVATE, "entries", "I"))) {
			assertThat(plan(Hoist.STATELESS, both("registry", "r/Registry", type), UnaryOperator.identity()).kept())
				.containsEntry("registry-1.jar", "it keeps 'entries' in the constants of the enumeration r.Registry");
		}
		byte[] level = TestJar.enumeration("r/Level", constant, "weight", "I");
		assertThat(plan(Hoist.STATELESS, both("level", "r/Level", level), UnaryOperator.identity()).files())
			.contains("level-1.jar");
	}

	/** Those of compilers are constants, but not those of an aspect. */
	@Test
	void generatedFieldsMayKeepState() throws IOException {
		byte[] aspect = TestJar.generated("a/Aspect", "ajc$perSingletonInstance");
		assertThat(plan(Hoist.STATELESS, both("aspect", "a/Aspect", aspect), UnaryOperator.identity()).kept())
			.containsEntry("aspect-1.jar", "it keeps 'ajc$perSingletonInstance' in a static field of a.Aspect");
		byte[] plain = TestJar.generated("a/Plain", "$SwitchMap$a$Type");
		assertThat(plan(Hoist.STATELESS, both("plain", "a/Plain", plain), UnaryOperator.identity()).files())
			.contains("plain-1.jar");
	}

	@Test
	void otherLibrariesMayNot() throws IOException {
		Hoisting.Plan plan = plan(Hoist.KNOWN,
				(jar) -> jar.library("database", "1", Map.of("db/Engine.class", TestJar.stateful("db/Engine"))),
				UnaryOperator.identity());
		assertThat(plan.files()).contains(SPRING).doesNotContain("database-1.jar");
		assertThat(plan.kept().get("database-1.jar")).contains("db.Engine");
	}

	private static final String KEY = "io/netty/util/AttributeKey";

	private static final String KEY_OF_A_NAME = "(Ljava/lang/String;)Lio/netty/util/AttributeKey;";

	private static final String COMMON = "netty-common-4.jar";

	/**
	 * Netty with the classes that the tests use, and a library of Spring that names it.
	 */
	private static TestJar netty(TestJar jar) {
		return jar
			.library("netty-common", "4",
					Map.of(KEY + ".class", TestJar.methods(KEY, "newInstance", "valueOf"),
							"io/netty/util/concurrent/FastThreadLocal.class",
							TestJar.methods("io/netty/util/concurrent/FastThreadLocal", "<init>", "removeAll"),
							"io/netty/util/concurrent/GlobalEventExecutor.class",
							TestJar.constant("io/netty/util/concurrent/GlobalEventExecutor", "INSTANCE")))
			.library("netty-transport", "4",
					Map.of("io/netty/channel/ChannelOption.class",
							TestJar.methods("io/netty/channel/ChannelOption", "newInstance"),
							"io/netty/channel/local/LocalAddress.class",
							TestJar.setter("io/netty/channel/local/LocalAddress", "<init>", "Ljava/lang/String;", ""),
							"io/netty/channel/Channel.class", TestJar.subclass("io/netty/channel/Channel", KEY)))
			.library("spring-net", "1", Map.of("org/springframework/net/Client.class",
					TestJar.caller("org/springframework/net/Client", KEY, "valueOf", "()V")));
	}

	private static UnaryOperator<TestJar> client(byte[] code) {
		return (jar) -> jar.ownClass("shop/Client", code);
	}

	/**
	 * A class that takes a new name for an attribute of Netty fails if it is loaded
	 * twice.
	 */
	@Test
	void nettyIsNotSharedByThoseThatTakeNewNames() throws IOException {
		Hoisting.Plan plan = plan(Hoist.KNOWN, HoistingTests::netty,
				client(TestJar.caller("shop/Client", KEY, "newInstance", KEY_OF_A_NAME)));
		assertThat(plan.files()).doesNotContain(COMMON, "netty-transport-4.jar", "spring-net-1.jar").contains(SPRING);
		assertThat(plan.kept()).containsEntry(COMMON,
				"its io.netty.util.AttributeKey.newInstance takes each name once, and shop.Client of 'other', which is not loaded once, uses it")
			.containsEntry("spring-net-1.jar", "it names the package io.netty.util of netty-common-4.jar");
		Hoisting.Plan library = plan(Hoist.KNOWN, HoistingTests::netty, (jar) -> jar.library("driver", "1",
				Map.of("db/Driver.class", TestJar.caller("db/Driver", KEY, "newInstance", KEY_OF_A_NAME))));
		assertThat(library.kept().get(COMMON)).contains("takes each name once, and driver-1.jar, which");
		Hoisting.Plan boot = plan(Hoist.KNOWN, HoistingTests::netty,
				(jar) -> jar.library("boot-net", "1", Map.of("org/springframework/boot/net/N.class",
						TestJar.caller("org/springframework/boot/net/N", KEY, "newInstance", KEY_OF_A_NAME))));
		assertThat(boot.files()).doesNotContain(COMMON);
		// Loaded once with Netty, it takes the name once.
		assertThat(plan(Hoist.KNOWN, HoistingTests::netty, (jar) -> jar.library("h2", "1")).files()).contains(COMMON,
				"netty-transport-4.jar", "spring-net-1.jar");
	}

	/** The compiler names the class that the source names. */
	@Test
	void newNamesAreFoundByTheNameOfASubclass() throws IOException {
		Hoisting.Plan plan = plan(Hoist.KNOWN, HoistingTests::netty, client(TestJar.caller("shop/Client",
				"shop/OwnOption", "newInstance", "(Ljava/lang/String;)Lio/netty/channel/ChannelOption;")));
		assertThat(plan.files()).contains(COMMON, "spring-net-1.jar").doesNotContain("netty-transport-4.jar");
		assertThat(plan.kept().get("netty-transport-4.jar"))
			.startsWith("its io.netty.channel.ChannelOption.newInstance takes each name once");
		assertThat(plan(Hoist.KNOWN, HoistingTests::netty,
				client(TestJar.caller("shop/Client", "io/netty/channel/local/LocalAddress", "<init>",
						"(Ljava/lang/String;)V")))
			.kept()
			.get("netty-transport-4.jar")).startsWith("its io.netty.channel.local.LocalAddress takes each name once");
		assertThat(plan(Hoist.KNOWN, HoistingTests::netty,
				client(TestJar.caller("shop/Client", "shop/Own", "newInstance", "(Ljava/lang/String;)Lshop/Own;")))
			.files()).contains("netty-transport-4.jar");
	}

	/**
	 * Using Netty, or a name that may be there already, keeps nothing from being shared.
	 */
	@Test
	void nettyIsSharedByThoseThatOnlyUseIt() throws IOException {
		for (String method : List.of("valueOf", "of")) {
			assertThat(plan(Hoist.KNOWN, HoistingTests::netty,
					client(TestJar.caller("shop/Client", KEY, method, KEY_OF_A_NAME)))
				.files()).contains(COMMON, "netty-transport-4.jar", "spring-net-1.jar");
		}
	}

	/** They leave values in threads of others, or work for a thread that all have. */
	@Test
	void nettyIsNotSharedByThoseThatUseItsThreads() throws IOException {
		assertThat(plan(Hoist.KNOWN, HoistingTests::netty,
				client(TestJar.getter("shop/Client", "io/netty/util/concurrent/GlobalEventExecutor", "INSTANCE")))
			.kept()
			.get(COMMON)).isEqualTo(
					"what its io.netty.util.concurrent.GlobalEventExecutor.INSTANCE changes would hold for all, and shop.Client of 'other' uses it");
		String local = "io/netty/util/concurrent/FastThreadLocal";
		assertThat(
				plan(Hoist.KNOWN, HoistingTests::netty, client(TestJar.caller("shop/Client", local, "<init>", "()V")))
					.files())
			.doesNotContain(COMMON);
		assertThat(plan(Hoist.KNOWN, HoistingTests::netty,
				client(TestJar.caller("shop/Client", local, "removeAll", "()V")))
			.files()).contains(COMMON);
	}

	/** A helper gets its names from those that are loaded twice. */
	@Test
	void helpersThatTakeNamesAreLoadedWithTheirCallers() throws IOException {
		byte[] helper = TestJar.caller("helper/Names", KEY, "newInstance", KEY_OF_A_NAME);
		UnaryOperator<TestJar> both = (jar) -> netty(jar).library("helper", "1", Map.of("helper/Names.class", helper));
		assertThat(plan(Hoist.KNOWN, both, UnaryOperator.identity()).files()).contains("helper-1.jar", COMMON);
		Hoisting.Plan plan = plan(Hoist.KNOWN, both,
				client(TestJar.caller("shop/Client", "helper/Names", "call", "()V")));
		assertThat(plan.files()).doesNotContain("helper-1.jar", COMMON);
		assertThat(plan.kept().get("helper-1.jar")).isEqualTo(
				"its helper.Names takes names for its callers that may be taken once, and its package helper is used by shop.Client of 'other', which is not loaded once");
	}

	/** Netty looks for them beside the classes that load them. */
	@Test
	void nativeLibrariesOfNettyAreWhereTheirClassesAre() throws IOException {
		String type = "io/netty/channel/epoll/Native";
		UnaryOperator<TestJar> both = (jar) -> netty(jar).library("netty-epoll-classes", "4", Map.of(type + ".class",
				TestJar.caller(type, "io/netty/util/internal/NativeLibraryLoader", "load", "()V")));
		Map<String, byte[]> code = Map.of("META-INF/native/libnetty_epoll.so", new byte[1]);
		Hoisting.Plan shared = plan(Hoist.KNOWN, (jar) -> both.apply(jar).library("netty-epoll-native", "4", code),
				UnaryOperator.identity());
		assertThat(shared.files()).contains("netty-epoll-classes-4.jar", "netty-epoll-native-4.jar", COMMON);
		Map<String, byte[]> others = Map.of("META-INF/native/libnetty_epoll.so", new byte[1],
				"META-INF/native/libother.so", new byte[1]);
		assertThat(plan(Hoist.KNOWN, (jar) -> both.apply(jar).library("other-native", "1", others),
				UnaryOperator.identity())
			.kept()).containsEntry("other-native-1.jar", "it has no classes");
		Hoisting.Plan own = plan(Hoist.KNOWN, both, (jar) -> jar.library("netty-epoll-native", "4", code));
		assertThat(own.files()).contains(COMMON);
		assertThat(own.kept()).containsEntry("netty-epoll-classes-4.jar",
				"it looks for a native library of Netty, and would not find that of netty-epoll-native-4.jar");
		assertThat(plan(Hoist.STATELESS, (jar) -> both.apply(jar).library("netty-epoll-native", "4", code),
				UnaryOperator.identity())
			.files()).doesNotContain("netty-epoll-classes-4.jar", "netty-epoll-native-4.jar");
		Hoisting.Plan inside = plan(Hoist.KNOWN, both,
				(jar) -> jar.resource("META-INF/native/libnetty_epoll.so", "code"));
		assertThat(inside.kept().get("netty-epoll-classes-4.jar")).endsWith("and would not find that of 'other'");
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

	/** Any text in an unknown library may be the name of a file. */
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

	/** Bundles of texts are named without their ending, and may be for one language. */
	@Test
	void bundlesThatALibraryNamesAreSeenByIt() throws IOException {
		UnaryOperator<TestJar> bundles = (jar) -> jar.library("texts", "1",
				Map.of("texts/Texts.class",
						TestJar.caller("texts/Texts", "java/util/ResourceBundle", "clearCache", "()V"),
						"texts/Names.class", TestJar.type("texts/Names", "shop.labels")));
		assertThat(plan(Hoist.STATELESS, bundles, (jar) -> jar.resource("shop/other.properties", "a=b")).files())
			.contains("texts-1.jar");
		for (String name : List.of("labels", "labels_de", "labels_zh_Hans_CN")) {
			assertThat(
					plan(Hoist.STATELESS, bundles, (jar) -> jar.resource("shop/" + name + ".properties", "a=b")).kept()
						.get("texts-1.jar"))
				.isEqualTo("it names the file shop/labels.properties of 'other'");
		}
	}

	/** An application may have what is found by a name that nobody knows beforehand. */
	@Test
	void whatLooksForUnknownNamesBesideItselfIsNotShared() throws IOException {
		Map<String, String> looking = Map.of("ByName",
				"Object f(String n) throws Exception { return Class.forName(n); }", "ByPart",
				"Object f(String n) throws Exception { return Class.forName(\"own.\" + n); }", "ByReference",
				"interface F { Class<?> f(String n) throws Exception; } F f() { return Class::forName; }", "File",
				"static Object f(String n) { return File.class.getResourceAsStream(\"/conf/\" + n + \".txt\"); }",
				"Services",
				"Object f(Class<?> t) { return java.util.ServiceLoader.load(t, Services.class.getClassLoader()); }",
				"Loader", "Object f(String n) throws Exception { return getClass().getClassLoader().loadClass(n); }",
				"Copy", "static Object f(java.io.ObjectInputStream in) throws Exception { return in.readObject(); }",
				"Texts", "Object f(String n) { return java.util.ResourceBundle.getBundle(n); }");
		for (Map.Entry<String, String> each : looking.entrySet()) {
			assertThat(stateless(each.getKey(), each.getValue()).kept()).containsEntry("looking-1.jar",
					"looking.%s looks for classes or files beside itself, by names that are not in it"
						.formatted(each.getKey()));
		}
	}

	/** What a caller or the thread gives is the application's. */
	@Test
	void whatLooksElsewhereIsShared() throws IOException {
		Map<String, String> looking = Map.of("Given",
				"Object f(String n, ClassLoader l) throws Exception { return l.loadClass(n); }", "OfAnother",
				"Object f(Object o, String n) throws Exception { return Class.forName(n, true, o.getClass().getClassLoader()); }",
				"OfTheThread",
				"Object f(String n) throws Exception { return Thread.currentThread().getContextClassLoader().loadClass(n); }",
				"Services", "Object f(Class<?> t) { return java.util.ServiceLoader.load(t); }", "Constant",
				"Object f() throws Exception { return Class.forName(\"missing.Type\"); }", "Texts",
				"Object f() { return java.util.ResourceBundle.getBundle(\"missing\", java.util.Locale.getDefault()); }",
				"OfTheJdk", "Object f() { return String.class.getClassLoader(); }");
		for (Map.Entry<String, String> each : looking.entrySet()) {
			assertThat(stateless(each.getKey(), each.getValue()).files()).as(each.getKey()).contains("looking-1.jar");
		}
	}

	private Hoisting.Plan stateless(String type, String body) throws IOException {
		byte[] code = TestJar.compiled(this.directory, "looking." + type,
				"package looking; public class %s { %s }".formatted(type, body));
		return plan(Hoist.STATELESS, both("looking", "looking/" + type, code), UnaryOperator.identity());
	}

	/** Other libraries bring them along for it. */
	@Test
	void filesOfLibrariesInMetaInfAreSeenByWhatLooksForThem() throws IOException {
		UnaryOperator<TestJar> finder = (jar) -> jar.library("finder", "1",
				Map.of("finder/Finder.class", TestJar.type("finder/Finder", "META-INF/finder.properties")));
		assertThat(plan(Hoist.STATELESS, finder, UnaryOperator.identity()).files()).contains("finder-1.jar");
		assertThat(plan(Hoist.STATELESS, finder,
				(jar) -> jar.library("plugin", "1",
						Map.of("META-INF/finder.properties", new byte[1], "plugin/Plugin.class",
								TestJar.type("plugin/Plugin", ""))))
			.kept()
			.get("finder-1.jar")).isEqualTo("it names the file META-INF/finder.properties of plugin-1.jar");
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

	/** The class of the library that comes first is the one that is used. */
	@Test
	void librariesWithOneClassAreNotSharedByThoseThatHaveThemInAnotherOrder() throws IOException {
		UnaryOperator<TestJar> one = (jar) -> jar.library("one", "1",
				Map.of("same/Type.class", TestJar.type("same/Type", "1")));
		UnaryOperator<TestJar> two = (jar) -> jar.library("two", "1",
				Map.of("same/Type.class", TestJar.type("same/Type", "2")));
		String oneTwo = "=" + two.apply(one.apply(TestJar.boot())).write(this.directory, "one");
		String twoOne = "=" + one.apply(two.apply(TestJar.boot())).write(this.directory, "other");
		assertThat(Hoisting.plan(Inventories.read(List.of("one" + oneTwo, "other" + oneTwo)), Hoist.STATELESS).files())
			.contains("one-1.jar", "two-1.jar");
		Hoisting.Plan plan = Hoisting.plan(Inventories.read(List.of("one" + oneTwo, "other" + twoOne)),
				Hoist.STATELESS);
		assertThat(plan.files()).doesNotContain("one-1.jar", "two-1.jar");
		assertThat(plan.kept().get("one-1.jar"))
			.isEqualTo("its class same.Type is in two-1.jar, too, and 'other' has the two in another order");
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
