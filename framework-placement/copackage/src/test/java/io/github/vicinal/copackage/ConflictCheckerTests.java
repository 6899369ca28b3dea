package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.vicinal.copackage.Finding.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A pair for each reason: what is found, and how close they may come. */
class ConflictCheckerTests {

	private static final String BASE = "FROM eclipse-temurin:21-jre\n";

	private static final Map<String, byte[]> SWITCH = Map.of("lib/Switch.class",
			TestJar.setter("lib/Switch", "setMode", "Ljava/lang/String;", ""));

	@TempDir
	private Path directory;

	private final ConflictChecker checker = new ConflictChecker(Set.of());

	private Inventory application(String name, TestJar jar, String dockerfile) throws IOException {
		Inventory inventory = Inventories.read(List.of(name + "=" + jar.write(this.directory, name))).get(0);
		if (dockerfile.isEmpty()) {
			return inventory;
		}
		Path file = Files.writeString(this.directory.resolve(name + ".dockerfile"), dockerfile);
		return inventory.and(Inventories.read(List.of(name + "=" + file)).get(0));
	}

	private PairReport check(TestJar one, String dockerfile, TestJar other, String otherDockerfile) throws IOException {
		return this.checker.check(application("one", one, dockerfile), application("other", other, otherDockerfile));
	}

	private static Arguments pair(Rule rule, Verdict verdict, String reason, UnaryOperator<TestJar> one,
			UnaryOperator<TestJar> other) {
		return arguments(rule, verdict, reason, one.apply(TestJar.boot()), "", other.apply(TestJar.boot()), "");
	}

	private static Arguments docker(Rule rule, Verdict verdict, String reason, String one, String other) {
		return arguments(rule, verdict, reason, TestJar.boot(), one, TestJar.boot(), other);
	}

	private static Arguments call(String owner, String method, String descriptor) {
		return pair(Rule.JVM_WIDE_CALL, Verdict.SAME_CONTAINER, method + " in app.Main",
				(jar) -> jar.ownClass("app/Main", TestJar.caller("app/Main", owner, method, descriptor)), (jar) -> jar);
	}

	private static Arguments rocks(String one, String other) {
		Map<String, byte[]> content = Map.of("librocksdbjni-linux64.so", new byte[1]);
		return arguments(Rule.NATIVE, Verdict.SAME_CONTAINER, "native code in rocksdbjni",
				TestJar.boot().library("rocksdbjni", "1", content), one,
				TestJar.boot().library("rocksdbjni", "1", content), other);
	}

	static Stream<Arguments> pairs() {
		UnaryOperator<TestJar> same = (jar) -> jar;
		Map<String, byte[]> keepsState = Map.of("state/Cache.class", TestJar.stateful("state/Cache"));
		return Stream.of(
				pair(Rule.VERSION, Verdict.HOISTED, "guava is 1.0 and 2.0", (jar) -> jar.library("guava", "1.0"),
						(jar) -> jar.library("guava", "2.0")),
				pair(Rule.VERSION, Verdict.ISOLATED, "guava is 1.0 and 2.0",
						(jar) -> jar.library("spring-boot", "4.1.1", keepsState).library("guava", "1.0"),
						(jar) -> jar.library("spring-boot", "4.1.1", keepsState).library("guava", "2.0")),
				pair(Rule.LIBRARY_BYTES, Verdict.HOISTED, "one version, but different bytes: guava 1.0",
						(jar) -> jar.library("guava", "1.0", Map.of("a.txt", new byte[1])),
						(jar) -> jar.library("guava", "1.0", Map.of("a.txt", new byte[2]))),
				pair(Rule.CLASS_BYTES, Verdict.HOISTED, "app/Shared.class",
						(jar) -> jar.ownClass("app/Shared", TestJar.type("app/Shared", "1")),
						(jar) -> jar.ownClass("app/Shared", TestJar.type("app/Shared", "2"))),
				pair(Rule.CLASS_BYTES, Verdict.HOISTED, "copy.Thing",
						(jar) -> jar.library("original", "1.0",
								Map.of("copy/Thing.class", TestJar.type("copy/Thing", "1"))),
						(jar) -> jar.library("shaded", "1.0",
								Map.of("copy/Thing.class", TestJar.type("copy/Thing", "2")))),
				pair(Rule.CLASS_BYTES, Verdict.HOISTED, "app.Main",
						(jar) -> jar.ownClass("app/Main", TestJar.type("app/Main", "1")),
						(jar) -> jar.library("shaded", "1.0", Map.of("app/Main.class", TestJar.type("app/Main", "2")))),
				pair(Rule.RESOURCE, Verdict.HOISTED, "application.properties",
						(jar) -> jar.resource("application.properties", "server.port=1"),
						(jar) -> jar.resource("application.properties", "server.port=2")),
				pair(Rule.RESOURCE, Verdict.HOISTED, "logback.xml", (jar) -> jar.resource("logback.xml", "<a/>"),
						(jar) -> jar.resource("logback.xml", "<a/>")),
				pair(Rule.RESOURCE, Verdict.HOISTED,
						"'other' would find files of 'one' (3): META-INF/services/a.B, application.properties, static/index.html",
						(jar) -> jar.resource("application.properties", "a=b")
							.resource("static/index.html", "<a/>")
							.resource("META-INF/services/a.B", "app.B"),
						same),
				pair(Rule.RESOURCE, Verdict.HOISTED, "'one' would find files of 'other' (1): lib/texts.properties",
						same,
						(jar) -> jar.resource("lib/texts.properties", "a=b")
							.ownClass("shop/Main", TestJar.type("shop/Main", ""))),
				pair(Rule.SPRING_BOOT, Verdict.HOISTED, "4.1.1 in 'one' and 3.5.7 in 'other'", same,
						(jar) -> jar.bootVersion("3.5.7")),
				pair(Rule.NOT_SPRING_BOOT_3, Verdict.SAME_CONTAINER, "Spring Boot 2.7.18", same,
						(jar) -> jar.bootVersion("2.7.18")),
				arguments(Rule.NOT_SPRING_BOOT_3, Verdict.SAME_CONTAINER, "is no Spring Boot application",
						TestJar.boot(), "", new TestJar().bootVersion(""), ""),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 8080",
						(jar) -> jar.library("tomcat-embed-core", "1"), (jar) -> jar.library("tomcat-embed-core", "1")),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 9000",
						(jar) -> jar.resource("application.properties", "server.port=9000"),
						(jar) -> jar.resource("config/application.yml", "server:\n  port: 9000")),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 9100",
						(jar) -> jar.resource("application.properties", "server.port=${PORT:9100}"),
						(jar) -> jar.resource("application.yml", "management.server.port: 9100")),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 9300",
						(jar) -> jar.resource("application.properties", "spring.rsocket.server.port=9300"),
						(jar) -> jar.resource("application.properties",
								"server.port=1\nspring.rsocket.server.port=9300")),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 9300",
						(jar) -> jar.resource("application.properties", "spring.grpc.server.port=9300"),
						(jar) -> jar.resource("application.properties", "server.port=1\nspring.grpc.server.port=9300")),
				pair(Rule.PORT, Verdict.FORBIDDEN, "listen on port 9400",
						(jar) -> jar.resource("application.yml", "SERVER:\n  PORT: 9400"),
						(jar) -> jar.resource("application.properties", "Management.Server.port=9400")),
				docker(Rule.PORT, Verdict.FORBIDDEN, "listen on port 7001", BASE + "ENV SERVER_PORT=7001",
						BASE + "EXPOSE 7001"),
				docker(Rule.PORT, Verdict.FORBIDDEN, "listen on port 7002",
						BASE + "ENTRYPOINT java -Dserver.port=7002 -jar a.jar",
						BASE + "ENTRYPOINT java -Dserver.port=7002 -jar b.jar"),
				docker(Rule.PORT, Verdict.FORBIDDEN, "listen on port 7003",
						BASE + "ENTRYPOINT [\"java\", \"-jar\", \"a.jar\"]\nCMD [\"--server.port=7003\"]",
						BASE + "ENTRYPOINT java -jar b.jar --server.port=7003"),
				docker(Rule.PORT, Verdict.FORBIDDEN, "listen on port 7000", BASE + "EXPOSE 7000",
						BASE + "EXPOSE 7000/tcp 7001"),
				pair(Rule.FILE, Verdict.FORBIDDEN, "both 'one' and 'other' write 'logs/app.log', by logging.file.name",
						(jar) -> jar.resource("application.properties", "logging.file.name=logs/app.log"),
						(jar) -> jar.resource("application.properties",
								"dir=./logs\nlogging.file.name=${dir}/${name:app}.log")),
				pair(Rule.FILE, Verdict.FORBIDDEN, "write 'logs/spring.log'",
						(jar) -> jar.resource("application.yml", "logging.file.path: logs"),
						(jar) -> jar.resource("application.yml", "logging.file.path: logs/")),
				pair(Rule.FILE, Verdict.FORBIDDEN, "write 'data/shop', by spring.datasource.url",
						(jar) -> jar.resource("application.properties", "spring.datasource.url=jdbc:h2:./data/shop"),
						(jar) -> jar.resource("application.properties",
								"spring.datasource.url=jdbc:h2:file:./data/shop;MODE=MySQL")),
				pair(Rule.FILE, Verdict.FORBIDDEN, "write 'data/shop', by spring.r2dbc.url",
						(jar) -> jar.resource("application.properties", "spring.dataSource.url=jdbc:h2:./data/shop"),
						(jar) -> jar.resource("application.properties", "spring.r2dbc.url=r2dbc:h2:file//./data/shop")),
				pair(Rule.FILE, Verdict.FORBIDDEN, "write 'requests.log', by server.jetty.accesslog.filename",
						(jar) -> jar.resource("application.properties", "server.jetty.accesslog.filename=requests.log"),
						(jar) -> jar.resource("application.properties",
								"server.jetty.accesslog.filename=./requests.log")),
				docker(Rule.FILE, Verdict.FORBIDDEN, "write '/logs/app.log', by logging.file.name",
						BASE + "ENV LOGGING_FILE_NAME=/logs/app.log", BASE + "ENV LOGGING_FILE_NAME=/logs/app.log"),
				arguments(Rule.FILE, Verdict.FORBIDDEN, "write '/logs/app.log', by logging.file.name",
						TestJar.boot().resource("application.properties", "logging.file.name=${LOG_DIR}/app.log"),
						BASE + "ENV LOG_DIR=/logs",
						TestJar.boot().resource("application.properties", "logging.file.name=/logs/app.log"), BASE),
				call("java/lang/System", "exit", "(I)V"),
				call("java/net/URL", "setURLStreamHandlerFactory", "(Ljava/net/URLStreamHandlerFactory;)V"),
				call("java/util/TimeZone", "setDefault", "(Ljava/util/TimeZone;)V"),
				call("java/util/Locale", "setDefault", "(Ljava/util/Locale;)V"),
				call("java/net/Authenticator", "setDefault", "(Ljava/net/Authenticator;)V"),
				call("java/net/ProxySelector", "setDefault", "(Ljava/net/ProxySelector;)V"),
				call("java/lang/System", "setOut", "(Ljava/io/PrintStream;)V"),
				call("javax/net/ssl/SSLContext", "setDefault", "(Ljavax/net/ssl/SSLContext;)V"),
				call("java/lang/Thread", "setDefaultUncaughtExceptionHandler",
						"(Ljava/lang/Thread$UncaughtExceptionHandler;)V"),
				call("javax/net/ssl/HttpsURLConnection", "setFollowRedirects", "(Z)V"),
				call("java/util/SimpleTimeZone", "setDefault", "(Ljava/util/TimeZone;)V"),
				call("java/security/Security", "setProperty",
						"(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"),
				call("java/security/Security", "addProvider", "(Ljava/security/Provider;)I"),
				call("java/security/Security", "removeProvider", "(Ljava/lang/String;)V"),
				call("java/io/ObjectInputFilter$Config", "setSerialFilter", "(Ljava/io/ObjectInputFilter;)V"),
				call("java/sql/DriverManager", "setLoginTimeout", "(I)V"),
				call("java/net/Socket", "setSocketImplFactory", "(Ljava/net/SocketImplFactory;)V"),
				pair(Rule.JVM_WIDE_CALL, Verdict.SAME_CONTAINER, "setDefaultUncaughtExceptionHandler in app.Worker",
						(jar) -> jar.ownClass("app/Worker",
								TestJar.caller("app/Worker", "app/Worker", "setDefaultUncaughtExceptionHandler",
										"(Ljava/lang/Thread$UncaughtExceptionHandler;)V")),
						same),
				arguments(Rule.JAVA, Verdict.FORBIDDEN,
						"the image of 'other' has Java 17 (JAVA_VERSION=17.0.2), and the classes of 'one' need Java 21",
						TestJar.boot().ownClass("app/Main", TestJar.javaVersion("app/Main", 21)),
						"FROM eclipse-temurin:21-jre", TestJar.boot(), "FROM debian:12\nENV JAVA_VERSION=17.0.2"),
				pair(Rule.JAVA, Verdict.HOISTED,
						"the classes of 'one' need Java 25, and the classes of 'other' need Java 17: a JVM for both must have 25 or newer",
						(jar) -> jar.ownClass("app/Main", TestJar.javaVersion("app/Main", 25)),
						(jar) -> jar.ownClass("app/Main", TestJar.javaVersion("app/Main", 17))),
				pair(Rule.JAVA, Verdict.HOISTED,
						"the library newer-1.jar of 'one' needs Java 25, and the classes of 'other' need Java 17: a JVM for both must have 25 or newer",
						(jar) -> jar.library("newer", "1", Map.of("a/A.class", TestJar.javaVersion("a/A", 25))),
						(jar) -> jar.ownClass("app/Main", TestJar.javaVersion("app/Main", 17))),
				docker(Rule.BASE_IMAGE, Verdict.FORBIDDEN, "the base images differ", BASE, "FROM debian:12"),
				docker(Rule.USER, Verdict.SAME_CONTAINER, "different users: 'one' as 'app', 'other' as 'root'",
						BASE + "USER app", BASE + "USER root"),
				docker(Rule.VOLUME, Verdict.FORBIDDEN, "a volume at /data", BASE + "VOLUME /data",
						BASE + "VOLUME [\"/data\", \"/logs\"]"),
				docker(Rule.AGENT, Verdict.SAME_CONTAINER, "-javaagent:/otel.jar",
						BASE + "ENTRYPOINT [\"java\", \"-javaagent:/otel.jar\", \"-jar\", \"a.jar\"]",
						BASE + "ENTRYPOINT java -jar b.jar"),
				pair(Rule.AGENT, Verdict.SAME_CONTAINER,
						"the manifest of 'one' starts the agent 'app.Agent', which would see all classes of a JVM",
						(jar) -> jar.attribute("Launcher-Agent-Class", "app.Agent"), same),
				pair(Rule.MODULE_ACCESS, Verdict.HOISTED,
						"a JVM opens its modules to all: only 'one' has Add-Opens java.base/java.time",
						(jar) -> jar.attribute("Add-Opens", "java.base/java.time"), same),
				pair(Rule.MODULE_ACCESS, Verdict.HOISTED,
						"only 'one' has Add-Exports java.base/sun.nio.ch; only 'other' has Enable-Native-Access ALL-UNNAMED",
						(jar) -> jar.attribute("Add-Exports", "java.base/sun.nio.ch"),
						(jar) -> jar.attribute("Enable-Native-Access", "ALL-UNNAMED")),
				docker(Rule.MODULE_ACCESS, Verdict.HOISTED, "only 'one' has Add-Opens java.base/java.time",
						BASE + "ENTRYPOINT java --add-opens java.base/java.time=ALL-UNNAMED -jar a.jar", BASE),
				docker(Rule.MODULE_ACCESS, Verdict.HOISTED, "only 'one' has Enable-Native-Access ALL-UNNAMED",
						BASE + "ENV JDK_JAVA_OPTIONS=\"--enable-native-access some,ALL-UNNAMED\"", BASE),
				docker(Rule.SYSTEM_PROPERTY, Verdict.SAME_CONTAINER,
						"com.sun.management.jmxremote.port is '9010' in 'one' and 'none' in 'other', and the JDK reads it once for all",
						BASE + "ENV JAVA_OPTS=-Dcom.sun.management.jmxremote.port=9010", BASE),
				docker(Rule.SYSTEM_PROPERTY, Verdict.HOISTED,
						"spring.aot.enabled is 'true' in 'one' and 'none' in 'other'",
						BASE + "ENTRYPOINT java -Dspring.aot.enabled=true -jar a.jar", BASE),
				docker(Rule.JVM_OPTION, Verdict.SAME_CONTAINER, "different garbage collectors",
						BASE + "ENV JAVA_TOOL_OPTIONS=\"-XX:+UseZGC -Xmx1g\"", BASE + "ENV JAVA_TOOL_OPTIONS -Xmx1g"),
				docker(Rule.JVM_OPTION, Verdict.SAME_CONTAINER, "AlwaysPreTouch",
						BASE + "CMD [\"sh\", \"-c\", \"java -XX:+AlwaysPreTouch -jar a.jar\"]",
						BASE + "CMD java -XX:-AlwaysPreTouch -jar b.jar"),
				pair(Rule.NATIVE, Verdict.SAME_CONTAINER, "native code in rocks",
						(jar) -> jar.library("rocks", "1", Map.of("librocks.so", new byte[1])),
						(jar) -> jar.library("rocks", "2", Map.of("librocks.so", new byte[1]))),
				pair(Rule.NATIVE, Verdict.SAME_CONTAINER,
						"both load native code: System.loadLibrary in one.Main of 'one', System.load in two.Main of 'other'",
						(jar) -> jar.ownClass("one/Main",
								TestJar.caller("one/Main", "java/lang/System", "loadLibrary", "(Ljava/lang/String;)V")),
						(jar) -> jar.ownClass("two/Main",
								TestJar.caller("two/Main", "java/lang/System", "load", "(Ljava/lang/String;)V"))),
				rocks(BASE + "ENV ROCKSDB_SHAREDLIB_DIR=/lib", BASE + "ENV ROCKSDB_SHAREDLIB_DIR=/lib"),
				docker(Rule.ENVIRONMENT, Verdict.SAME_CONTAINER, "MODE is 'a' in 'one' and 'b' in 'other'",
						BASE + "ENV MODE=a", BASE + "ENV MODE=b"),
				docker(Rule.ENVIRONMENT, Verdict.SAME_CONTAINER,
						"SPRING_PROFILES_ACTIVE, which only 'one' has, would hold for 'other', too",
						BASE + "ENV SPRING_PROFILES_ACTIVE=prod", BASE),
				docker(Rule.SYSTEM_PROPERTY, Verdict.SAME_CONTAINER,
						"user.timezone is 'UTC' in 'one' and 'none' in 'other'",
						BASE + "ENTRYPOINT java -Duser.timezone=UTC -jar a.jar", BASE + "ENTRYPOINT java -jar b.jar"),
				docker(Rule.SYSTEM_PROPERTY, Verdict.HOISTED, "app.mode is 'a' in 'one' and 'b' in 'other'",
						BASE + "ENV JAVA_OPTS=-Dapp.mode=a", BASE + "ENV JAVA_OPTS=-Dapp.mode=b"),
				pair(Rule.STATIC_STATE, Verdict.HOISTED,
						"what its lib.Switch.setMode changes would hold for all, and one.Main of 'one' uses it",
						(jar) -> jar.library("switch", "1", SWITCH)
							.ownClass("one/Main",
									TestJar.caller("one/Main", "lib/Switch", "setMode", "(Ljava/lang/String;)V")),
						(jar) -> jar.library("switch", "1", SWITCH)),
				pair(Rule.STATIC_STATE, Verdict.HOISTED,
						"both have the class both.Cache, and it keeps 'CACHE' in a static field of both.Cache",
						(jar) -> jar.ownClass("both/Cache", TestJar.stateful("both/Cache")),
						(jar) -> jar.ownClass("both/Cache", TestJar.stateful("both/Cache"))),
				pair(Rule.BEAN, Verdict.HOISTED,
						"the scan of 'one' from app would find classes of 'other' (1), such as app.stock.Thing",
						(jar) -> jar.ownClass("app/Main", TestJar.type("app/Main", "")),
						(jar) -> jar.ownClass("app/Main", TestJar.type("app/Main", ""))
							.ownClass("app/stock/Thing", TestJar.type("app/stock/Thing", ""))),
				pair(Rule.BEAN, Verdict.HOISTED,
						"'one' configures whatever shares its class path, by META-INF/spring.factories",
						(jar) -> jar.resource("META-INF/spring.factories", "a=b"), same),
				pair(Rule.BEAN, Verdict.HOISTED,
						"'one' configures whatever shares its class path, by META-INF/spring.factories",
						(jar) -> jar.entry("META-INF/spring.factories", new byte[1]), same),
				pair(Rule.RESOURCE, Verdict.HOISTED, "META-INF/resources/index.html",
						(jar) -> jar.entry("META-INF/resources/index.html", new byte[1]),
						(jar) -> jar.entry("META-INF/resources/index.html", new byte[1])),
				pair(Rule.BEAN, Verdict.HOISTED,
						"'one' configures whatever shares its class path, by META-INF/spring/x.imports",
						(jar) -> jar.resource("META-INF/spring/x.imports", "a.B"), same),
				pair(Rule.BEAN, Verdict.HOISTED, "may switch on beans in the other (1): h2",
						(jar) -> jar.library("h2", "1"), same),
				pair(Rule.LINKAGE, Verdict.HOISTED,
						"with the versions of 'other', 'one' would miss (1): api.Thing.gone(), which app.User calls",
						(jar) -> jar
							.library("api", "1",
									Map.of("api/Thing.class", TestJar.methods("api/Thing", "gone", "stays")))
							.ownClass("app/User", TestJar.caller("app/User", "api/Thing", "gone", "()V")),
						(jar) -> jar
							.library("api", "2", Map.of("api/Thing.class", TestJar.methods("api/Thing", "stays")))
							.ownClass("app/User", TestJar.caller("app/User", "api/Thing", "stays", "()V"))),
				pair(Rule.LINKAGE, Verdict.HOISTED, "'one' would miss (1): api.Gone.call(), which lib.User calls",
						(jar) -> jar.library("api", "1", Map.of("api/Gone.class", TestJar.methods("api/Gone", "call")))
							.library("user", "1",
									Map.of("lib/User.class", TestJar.caller("lib/User", "api/Gone", "call", "()V"))),
						(jar) -> jar.library("api", "2")
							.library("user", "1",
									Map.of("lib/User.class", TestJar.caller("lib/User", "api/Gone", "call", "()V")))),
				pair(Rule.SIGNED, Verdict.SAME_CONTAINER, "is signed", (jar) -> jar.entry("META-INF/A.SF", new byte[1]),
						same),
				pair(Rule.DEVTOOLS, Verdict.SAME_CONTAINER, "spring-boot-devtools",
						(jar) -> jar.library("spring-boot-devtools", "4.1.1"), same));
	}

	@ParameterizedTest(name = "{index}: {0}: {2}")
	@MethodSource("pairs")
	void eachReasonIsFoundAndLimits(Rule rule, Verdict verdict, String reason, TestJar one, String dockerfile,
			TestJar other, String otherDockerfile) throws IOException {
		for (PairReport report : List.of(check(one, dockerfile, other, otherDockerfile),
				check(other, otherDockerfile, one, dockerfile))) {
			assertThat(report.findings()).filteredOn((finding) -> finding.rule() == rule).isNotEmpty();
			assertThat(report.verdict()).isEqualTo(verdict);
		}
		PairReport report = check(one, dockerfile, other, otherDockerfile);
		assertThat(report.findings())
			.filteredOn((finding) -> finding.rule() == rule && finding.reason().contains(reason))
			.singleElement()
			.satisfies((finding) -> assertThat(finding.remedy()).isNotBlank());
	}

	/** Whoever runs on that Java alone gets no other one. */
	@Test
	void imagesWithTheNewerJavaAreNoClash() throws IOException {
		PairReport report = check(TestJar.boot().ownClass("app/Main", TestJar.javaVersion("app/Main", 21)), BASE,
				TestJar.boot().ownClass("app/Main", TestJar.javaVersion("app/Main", 17)), BASE);
		assertThat(report.findings()).noneMatch((finding) -> finding.rule() == Rule.JAVA);
	}

	/**
	 * Libraries have classes that they load only where Java is new enough, in directories
	 * for it or beside the others.
	 */
	@Test
	void singleClassesOfLibrariesNeedNoNewerJava() throws IOException {
		Map<String, byte[]> content = new java.util.TreeMap<>();
		for (int i = 0; i < 30; i++) {
			content.put("a/A%d.class".formatted(i), TestJar.javaVersion("a/A" + i, 17));
			content.put("META-INF/versions/25/a/A%d.class".formatted(i), TestJar.javaVersion("a/A" + i, 25));
		}
		content.put("a/Newer.class", TestJar.javaVersion("a/Newer", 25));
		content.put("a/encrypted.class", new byte[] { 1 });
		Inventory application = application("one", TestJar.boot().library("mixed", "1", content), BASE);
		assertThat(JavaNeed.of(application).version()).isEqualTo(17);
	}

	/** Each has files of its own, or none. */
	@Test
	void differentFilesAreNoClash() throws IOException {
		for (List<String> settings : List.of(
				List.of("logging.file.name=${spring.application.name}.log\nspring.application.name=one",
						"logging.file.name=${spring.application.name}.log\nspring.application.name=other"),
				List.of("logging.file.name=a${x${y}}", "logging.file.name=b${x:${x}}"),
				List.of("spring.datasource.url=jdbc:h2:mem:shop", "spring.datasource.url=jdbc:h2:mem:shop"),
				List.of("spring.datasource.url=jdbc:postgresql://db/a",
						"spring.datasource.url=jdbc:postgresql://db/a"))) {
			PairReport report = check(TestJar.boot().resource("application.properties", settings.get(0)), "",
					TestJar.boot().resource("application.properties", settings.get(1)), "");
			assertThat(report.findings()).noneMatch((finding) -> finding.rule() == Rule.FILE);
		}
	}

	/** Nobody looks for them, and the last one belongs to Spring Boot's loader. */
	@Test
	void filesThatNobodyLooksForAreNoClash() throws IOException {
		TestJar[] jars = new TestJar[2];
		for (int i = 0; i < 2; i++) {
			jars[i] = TestJar.boot()
				.entry("META-INF/LICENSE", new byte[1])
				.entry("META-INF/NOTICE.txt", new byte[1])
				.entry("META-INF/maven/g/a/pom.xml", new byte[1])
				.entry("META-INF/services/java.nio.file.spi.FileSystemProvider", new byte[1]);
		}
		PairReport report = check(jars[0], "", jars[1], "");
		assertThat(report.findings()).isEmpty();
		assertThat(report.verdict()).isEqualTo(Verdict.SHARED);
	}

	/** Spring Boot's plugin writes it for the JVM where a library is signed. */
	@Test
	void theMarkForSignedLibrariesIsNoSignature() throws IOException {
		PairReport report = check(TestJar.boot().entry("META-INF/BOOT.SF", new byte[0]), "",
				TestJar.boot().entry("META-INF/BOOT.SF", new byte[0]), "");
		assertThat(report.findings()).isEmpty();
		assertThat(report.verdict()).isEqualTo(Verdict.SHARED);
	}

	@Test
	void twoThatDifferInNothingMayShareALoader() throws IOException {
		byte[] one = TestJar.caller("one/Main", "java/lang/System", "loadLibrary", "(Ljava/lang/String;)V");
		PairReport report = check(TestJar.boot().ownClass("one/Main", one).resource("one/pages/index.html", ""), BASE,
				TestJar.boot().ownClass("two/Main", TestJar.type("two/Main", "")), BASE);
		assertThat(report.findings()).isEmpty();
		assertThat(report.verdict()).isEqualTo(Verdict.SHARED);
		assertThat(report.mergeableByPaper()).isTrue();
	}

	@Test
	void nothingIsSharedThatIsNotKnown() throws IOException {
		Path pom = Files.writeString(this.directory.resolve("pom.xml"), "<project/>");
		Inventory known = application("one", TestJar.boot(), "");
		PairReport report = this.checker.check(known, Inventories.read(List.of("other=" + pom)).get(0));
		assertThat(report.verdict()).isEqualTo(Verdict.SAME_CONTAINER);
		assertThat(report.mergeableByPaper()).isFalse();
		assertThat(report.findings()).extracting(Finding::rule).contains(Rule.UNKNOWN);
	}

	/** A bill of materials may have checksums in capitals, or none. */
	@Test
	void bytesThatAreNotKnownToDifferAreNoFinding() throws IOException {
		Inventory jar = application("one", TestJar.boot(), "");
		String sha256 = jar.libraries().get(0).sha256();
		for (String hash : List.of("", sha256.toUpperCase(java.util.Locale.ROOT), "00")) {
			Path bom = Files.writeString(this.directory.resolve("bom.json"), """
					{ "bomFormat" : "CycloneDX", "components" : [ { "name" : "spring-boot", "version" : "4.1.1",
					  "hashes" : [ %s ] } ] }
					""".formatted(hash.isEmpty() ? "" : "{ \"alg\" : \"SHA-256\", \"content\" : \"" + hash + "\" }"));
			PairReport report = this.checker.check(jar, Inventories.read(List.of("other=" + bom)).get(0));
			assertThat(report.findings()).filteredOn((finding) -> finding.rule() == Rule.LIBRARY_BYTES)
				.hasSize(hash.equals("00") ? 1 : 0);
		}
	}

	/** A class with different copies of an annotation sees none of them. */
	@Test
	void librariesAreHoistedWithAllThatTheyName() throws IOException {
		Map<String, byte[]> annotated = Map.of("api/Thing.class", TestJar.annotated("api/Thing", "notes/Note"));
		Map<String, byte[]> notes = Map.of("notes/Note.class", TestJar.type("notes/Note", ""));
		TestJar[] jars = new TestJar[2];
		for (int i = 0; i < 2; i++) {
			jars[i] = TestJar.boot()
				.library("api", "1", annotated)
				.library("notes", "1", notes)
				.library("other", String.valueOf(i));
		}
		assertThat(check(jars[0], "", jars[1], "").hoisted()).contains("api-1.jar", "notes-1.jar");
		jars[1].library("notes", "1", Map.of("notes/Note.class", TestJar.type("notes/Note", "another")));
		assertThat(check(jars[0], "", jars[1], "").hoisted()).doesNotContain("api-1.jar", "notes-1.jar");
	}

	@Test
	void librariesThatKeepStateAreNotHoisted() throws IOException {
		TestJar[] jars = new TestJar[2];
		for (int i = 0; i < 2; i++) {
			jars[i] = TestJar.boot()
				.library("cache", "1", Map.of("state/Cache.class", TestJar.stateful("state/Cache")))
				.library("services", "1",
						Map.of("META-INF/services/x.Y", new byte[1], "s/S.class", TestJar.type("s/S", "")))
				.library("other", String.valueOf(i));
		}
		assertThat(check(jars[0], "", jars[1], "").hoisted()).containsExactly("spring-boot-4.1.1.jar");
	}

	@Test
	void filesOfOneArtifactForSeveralPlatformsAreNoConflict() throws IOException {
		TestJar[] jars = new TestJar[2];
		for (int i = 0; i < 2; i++) {
			jars[i] = TestJar.boot()
				.library("netty-transport-native-epoll", "4.2.17.Final")
				.library("netty-transport-native-epoll", "4.2.17.Final-linux-x86_64");
		}
		PairReport report = check(jars[0], "", jars[1], "");
		assertThat(report.findings()).isEmpty();
		assertThat(report.mergeableByPaper()).isTrue();
		jars[1].library("netty-transport-native-epoll", "4.2.18.Final");
		assertThat(check(jars[0], "", jars[1], "").findings()).extracting(Finding::rule).contains(Rule.VERSION);
	}

	@Test
	void findingsThatAreAcceptedDoNotStandInTheWay() throws IOException {
		TestJar exits = TestJar.boot()
			.ownClass("app/Main", TestJar.caller("app/Main", "java/lang/System", "exit", "(I)V"));
		PairReport report = new ConflictChecker(Set.of(Rule.JVM_WIDE_CALL)).check(application("one", exits, ""),
				application("other", TestJar.boot(), ""));
		assertThat(report.verdict()).isEqualTo(Verdict.ISOLATED);
		assertThat(report.findings()).filteredOn((finding) -> finding.rule() == Rule.JVM_WIDE_CALL)
			.singleElement()
			.satisfies((finding) -> assertThat(finding.reason()).contains("may end the JVM of all", "(accepted)"));
	}

	@Test
	void applicationsThatTheLauncherCannotRunCannotBeAccepted() throws IOException {
		PairReport report = new ConflictChecker(Set.of(Rule.values())).check(
				application("one", TestJar.boot().bootVersion("2.7.18"), ""), application("other", TestJar.boot(), ""));
		assertThat(report.verdict()).isEqualTo(Verdict.SAME_CONTAINER);
	}

	@Test
	void referencesToMethodsAreCalls() throws IOException {
		byte[] main;
		try (java.io.InputStream in = Exits.class.getResourceAsStream("ConflictCheckerTests$Exits.class")) {
			main = in.readAllBytes();
		}
		PairReport report = check(TestJar.boot().ownClass("app/Main", main), "", TestJar.boot(), "");
		assertThat(report.findings()).extracting(Finding::reason)
			.anySatisfy((reason) -> assertThat(reason).contains("System.exit in"));
	}

	/** Says it in another way. */
	static final class Exits {

		final java.util.function.IntConsumer end = System::exit;

	}

	/** Wherever that is said, and whatever port is said beside it. */
	@Test
	void jobsListenOnNoPort() throws IOException {
		String none = "spring.main.web-application-type=none";
		TestJar web = TestJar.boot().library("tomcat-embed-core", "1");
		for (TestJar job : List.of(
				TestJar.boot().library("tomcat-embed-core", "1").resource("application.properties", none),
				TestJar.boot()
					.resource("application.properties", none + "\nserver.port=8080\nmanagement.server.port=8080"))) {
			assertThat(check(job, "", web, "").findings()).noneMatch((finding) -> finding.rule() == Rule.PORT);
		}
		for (String line : List.of("ENTRYPOINT java -jar a.jar --" + none, "ENTRYPOINT java -D" + none + " -jar a.jar",
				"ENV SPRING_MAIN_WEBAPPLICATIONTYPE=NONE")) {
			assertThat(check(web, BASE + line, web, BASE).findings())
				.noneMatch((finding) -> finding.rule() == Rule.PORT);
		}
		assertThat(check(web, BASE, web, BASE).findings()).anyMatch((finding) -> finding.rule() == Rule.PORT);
	}

	@Test
	void anotherPortLiftsTheClash() throws IOException {
		Inventory one = application("one", TestJar.boot().library("tomcat-embed-core", "1"), "");
		Inventory other = application("other", TestJar.boot().library("tomcat-embed-core", "1"), "");
		assertThat(this.checker.check(one, other.with(Map.of("server.port", "8081"))).verdict().oneJvm()).isTrue();
		assertThat(this.checker.check(one, other.with(Map.of("server.port", "0"))).verdict().oneJvm()).isTrue();
	}

	@Test
	void placementGetsTheReasons() throws IOException {
		TestJar web = TestJar.boot().library("tomcat-embed-core", "1");
		CopackageMergeChecker merges = new CopackageMergeChecker(
				List.of(application("a", web, ""), application("b", web, ""), application("c", TestJar.boot(), "")),
				Map.of(), this.checker, 100);
		assertThat(merges.savedMib()).isEqualTo(100);
		assertThat(merges.obstacles("a", "b")).singleElement()
			.asString()
			.contains("listen on port 8080", "--port b=PORT");
		assertThat(merges.obstacles("a", "c")).isEmpty();
		assertThat(merges.obstacles("a", "x")).singleElement().asString().contains("'x'");
		assertThat(merges.obstacles("x", "y")).containsExactly(CopackageMergeChecker.UNKNOWN);
	}

	/** It is read once, and looked at for each. */
	@Test
	void aLibraryOfBothMayLinkWithNeitherOfTwoVersions() throws IOException {
		Map<String, byte[]> user = Map.of("lib/User.class", TestJar.callers("lib/User", "api/Thing", "a", "b"));
		TestJar one = TestJar.boot()
			.library("api", "1", Map.of("api/Thing.class", TestJar.methods("api/Thing", "a")))
			.library("user", "1", user);
		TestJar other = TestJar.boot()
			.library("api", "2", Map.of("api/Thing.class", TestJar.methods("api/Thing", "b")))
			.library("user", "1", user);
		assertThat(check(one, "", other, "").findings()).filteredOn((finding) -> finding.rule() == Rule.LINKAGE)
			.extracting(Finding::reason)
			.containsExactly("with the versions of 'other', 'one' would miss (1): api.Thing.a(), which lib.User calls",
					"with the versions of 'one', 'other' would miss (1): api.Thing.b(), which lib.User calls");
	}

	/** Members of superclasses count, and nothing is said of what is elsewhere. */
	@Test
	void versionsThatHaveAllThatIsUsedAreNoMatterOfLinkage() throws IOException {
		TestJar one = TestJar.boot()
			.library("api", "1",
					Map.of("api/Thing.class", TestJar.methods("api/Thing", "inherited"), "api/Far.class",
							TestJar.methods("api/Far", "far")))
			.ownClass("app/User", TestJar.caller("app/User", "api/Thing", "inherited", "()V"))
			.ownClass("app/FarUser", TestJar.caller("app/FarUser", "api/Far", "far", "()V"));
		TestJar other = TestJar.boot()
			.library("api", "2",
					Map.of("api/Thing.class", TestJar.subclass("api/Thing", "api/Base"), "api/Base.class",
							TestJar.methods("api/Base", "inherited"), "api/Far.class",
							TestJar.subclass("api/Far", "elsewhere/Base")));
		PairReport report = check(one, "", other, "");
		assertThat(report.findings()).extracting(Finding::rule).contains(Rule.VERSION).doesNotContain(Rule.LINKAGE);
	}

	@Test
	void memoryOfAllIsComparedWithTheLimit() throws IOException {
		Inventory one = application("one", TestJar.boot(), BASE + "ENV JAVA_OPTS=-Xmx512m");
		Inventory two = application("two", TestJar.boot(), BASE + "ENV JAVA_OPTS=-Xmx1g");
		Inventory three = application("three", TestJar.boot(), BASE);
		ConflictChecker limited = this.checker
			.with(new Memory(Memory.bytes("1536m"), Map.of("three", Memory.bytes("1MiB"))));
		assertThat(limited.check(one, two).findings()).isEmpty();
		assertThat(limited.group(List.of(one, two)).verdict()).isEqualTo(Verdict.SHARED);
		assertThat(limited.pairs(List.of(one, two, three))).allMatch((pair) -> pair.verdict().oneJvm());
		GroupReport group = limited.group(List.of(one, two, three));
		assertThat(group.verdict()).isEqualTo(Verdict.FORBIDDEN);
		assertThat(group.findings()).singleElement()
			.satisfies((finding) -> assertThat(finding.reason()).isEqualTo(
					"together they need 1537 MiB, and the limit is 1536 MiB: {one=512 MiB, two=1024 MiB, three=1 MiB}"));
		PairReport unknown = this.checker.with(new Memory(1 << 20, Map.of())).check(one, three);
		assertThat(unknown.verdict()).isEqualTo(Verdict.FORBIDDEN);
		assertThat(unknown.findings().get(0).reason()).contains("what 'three' needs is not known");
		assertThat(this.checker.group(List.of(one, two, three)).verdict()).isEqualTo(Verdict.SHARED);
	}

	@Test
	void aGroupIsAsCloseAsItsFarthestPair() throws IOException {
		Inventory one = application("one", TestJar.boot(), "");
		Inventory two = application("two", TestJar.boot().library("h2", "1"), "");
		assertThat(this.checker.group(List.of(one, two, application("three", TestJar.boot(), ""))).verdict())
			.isEqualTo(this.checker.check(one, two).verdict());
	}

	@Test
	void sizesAreRead() {
		assertThat(Memory.bytes("12")).isEqualTo(12);
		assertThat(Memory.bytes("2k")).isEqualTo(2048);
		assertThat(Memory.bytes(" 3GiB ")).isEqualTo(3L << 30);
		for (String wrong : List.of("", "x", "-1m", "1.5g", "1x", "999999999999t", "m")) {
			assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> Memory.bytes(wrong));
		}
	}

}
