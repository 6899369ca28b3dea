package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PrintableText;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class ComposeFileTests {

	private static final String SHOP = """
			x-small: &small
			  limits: { cpus: '0.25', memory: 300M }
			services:
			  front:
			    image: shop/front
			    ports: [ "8080:80", "127.0.0.1:9000:9000/tcp", "7000" ]
			    depends_on:
			      orders: { condition: service_healthy }
			    networks: [ web, back ]
			    deploy:
			      replicas: 2
			      resources: { limits: { cpus: "1.5", memory: 1g } }
			  orders:
			    depends_on: [ orders-db ]
			    networks: [ back ]
			    deploy:
			      resources:
			        <<: *small
			  orders-db:
			    cpus: ${DB_CPUS:-0.5}
			    mem_limit: 512m
			    networks: [ back ]
			  batch:
			    links: [ "front:web" ]
			    networks: [ night ]
			  off:
			    scale: 0
			""";

	/** Compose starts a service without what it may do without. */
	@Test
	void aDependencyThatIsNotRequiredMayBeMissing() {
		ComposeFile file = ComposeFile
			.parse("services:\n  a:\n    depends_on:\n      b: { condition: service_started, required: false }\n", "x");
		assertThat(file.declared()).isEmpty();
		assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).contains("'a'", "'b'"));
		refused("services:\n  a:\n    depends_on:\n      b: { required: true }\n", "line 3", "'b'");
	}

	@Test
	void aQuotaOfProcessorTimeIsALimit() {
		ComposeFile file = ComposeFile.parse("""
				services:
				  a: { cpu_quota: 50000, mem_limit: 1m }
				  b: { cpu_quota: "${Q:-30000}", cpu_period: 20000, mem_limit: 1m }
				  c: { cpu_quota: 50000, cpus: 2, mem_limit: 1m }
				  d: { cpu_quota: -1, mem_limit: 1m }
				""", "x");
		assertThat(file.services()).extracting((service) -> service.demand().get(Resources.CPU))
			.containsExactly(500L, 1500L, 2000L, 0L);
		assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).startsWith("[d]: no cpus"));
		refused("services:\n  a: { cpu_quota: 1e5 }\n", "line 2", "'1e5'", "microseconds");
	}

	@Test
	void aTagThatOverridesIsNoTruncatedFile() {
		refused("services:\n  a: { ports: !reset [] }\n", "line 2", "!reset", "docker compose config");
		refused("services:\n  a: { ports: !override [ '80:80' ] }\n", "line 2", "!override");
	}

	@Test
	void readsWhatServicesNeedAndDeclare() {
		ComposeFile file = ComposeFile.parse(SHOP, "compose.yml");
		assertThat(file.services()).extracting(Service::name).containsExactly("front", "orders", "orders-db", "batch");
		Service front = file.services().get(0);
		assertThat(front.replicas()).isEqualTo(2);
		assertThat(front.demand()).isEqualTo(Resources.of(1500, 1024));
		assertThat(front.ports()).containsExactly(8080, 9000);
		assertThat(file.services().get(1).demand()).isEqualTo(Resources.of(250, 300));
		assertThat(file.services().get(2).demand()).isEqualTo(Resources.of(500, 512));
		assertThat(file.declared()).extracting(Edge::from, Edge::to)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("front", "orders"),
					org.assertj.core.groups.Tuple.tuple("orders", "orders-db"));
		assertThat(file.declared()).allSatisfy((edge) -> assertThat(edge.callsPerSecond()).isNull());
		assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).contains("[batch]", "cpus"))
			.anySatisfy((line) -> assertThat(line).contains("'batch' -> 'front'", "no network"))
			.anySatisfy((line) -> assertThat(line).contains("'off' has 0 replicas"));
	}

	@Test
	void rulesOfSwarmAreHonouredOrNamed() {
		ComposeFile file = ComposeFile.parse("""
				include: [ other.yml ]
				services:
				  debug: { cpus: 2, mem_limit: 1g, profiles: [ never ] }
				  shop:
				    cpus: 1
				    mem_limit: 1g
				    deploy:
				      replicas: 3
				      placement:
				        constraints: [ "node.hostname == a", "node.labels.zone==west", "node.role != manager" ]
				        max_replicas_per_node: 2
				  agent: { cpus: 1, mem_limit: 1m, deploy: { mode: global } }
				  proxy: { cpus: 1, mem_limit: 1m, ports: [ "8000-8002:80-82", "9000-9005:90" ] }
				  far: { extends: { file: x.yml, service: y }, cpus: 1, mem_limit: 1m }
				""", "compose.yml");
		List<Host> hosts = List.of(new Host("a", Resources.of(1, 1)), new Host("b", Resources.of(1, 1)));
		assertThat(file.services(hosts)).extracting(Service::name, Service::replicas, Service::maxPerHost)
			.containsExactly(tuple("shop", 3, 2), tuple("agent", 2, 1), tuple("proxy", 1, Integer.MAX_VALUE),
					tuple("far", 1, Integer.MAX_VALUE));
		Service shop = file.services().get(0);
		assertThat(shop.demand()).isEqualTo(Resources.of(1000, 1024));
		assertThat(shop.pinnedTo()).containsExactly("a");
		assertThat(shop.zones()).containsExactly("west");
		assertThat(file.services().get(2).ports()).containsExactly(8000, 8001, 8002);
		for (String named : List.of("include 'other.yml'", "'debug' runs with the profiles [never]",
				"'node.role != manager'", "9000-9005", "'far' extends 'x.yml', which is not read")) {
			assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).contains(named));
		}
	}

	@TempDir
	Path directory = Path.of("");

	private Path write(String name, String text) throws IOException {
		Path file = this.directory.resolve(name);
		Files.createDirectories(Objects.requireNonNull(file.getParent()));
		return Files.writeString(file, text);
	}

	@Test
	void otherFilesAreReadBelowTheDirectory() throws IOException {
		write("common/base.yml",
				"""
						services:
						  root: { mem_limit: 1g, ports: [ "80:80" ] }
						  base: { extends: { service: root }, cpus: 2, deploy: { placement: { constraints: [ node.hostname != c ] } } }
						""");
		write("data/compose.yml", """
				include: [ ../more.yml ]
				services: { db: { cpus: 1, mem_limit: 2g, volumes: [ "data:/var" ] } }
				""");
		write("more.yml", "services: { cache: { cpus: 1, mem_limit: 1m } }");
		Path file = write("compose.yml", """
				include:
				  - path: data/compose.yml
				services:
				  shop:
				    extends: { file: common/base.yml, service: base }
				    ports: [ "81:80" ]
				    deploy: { placement: { constraints: [ "node.labels.zone != east" ] } }
				    depends_on: [ db, cache ]
				""");
		ComposeFile read = ComposeFile.read(file);
		assertThat(read.services()).extracting(Service::name).containsExactly("cache", "db", "shop");
		Service shop = read.services().get(2);
		assertThat(shop.demand()).isEqualTo(Resources.of(2000, 1024));
		assertThat(shop.ports()).containsExactly(80, 81);
		assertThat(read.declared()).extracting(Edge::to).containsExactly("db", "cache");
		assertThat(read.notSeen()).singleElement().asString().startsWith("[db] has volumes, which stay");
		List<Host> hosts = List.of(host("a", "west"), host("b", "east"), host("c", "west"));
		assertThat(read.services(hosts).get(2).pinnedTo()).containsExactly("a");
		assertThatThrownBy(() -> read.services(hosts.subList(1, 3))).isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("The constraints of 'shop' leave none of the hosts [b, c]");
	}

	/** As docker compose does, whatever its manual said for long. */
	@Test
	void extendsCarriesProfilesAndDependencies() throws IOException {
		Path file = write("compose.yml", """
				services:
				  db: { cpus: 1, mem_limit: 1m }
				  cache: { cpus: 1, mem_limit: 1m }
				  base: { cpus: 1, mem_limit: 1m, depends_on: [ db ], profiles: [ shop ] }
				  web: { extends: base, depends_on: { cache: { condition: service_healthy } } }
				""");
		ComposeFile without = ComposeFile.read(file);
		assertThat(without.services()).extracting(Service::name).containsExactly("db", "cache");
		assertThat(without.notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'web' runs with the profiles [shop] only"));
		ComposeFile with = ComposeFile.read(file, Set.of("shop"));
		assertThat(with.services()).extracting(Service::name).containsExactly("db", "cache", "base", "web");
		assertThat(with.declared()).extracting(Edge::from, Edge::to)
			.containsExactlyInAnyOrder(tuple("base", "db"), tuple("web", "db"), tuple("web", "cache"));
	}

	private static Host host(String name, String zone) {
		return new Host(name, zone, Resources.of(1, 1), Resources.none(), Integer.MAX_VALUE);
	}

	/** A file that somebody else wrote must not make others readable. */
	@Test
	void nothingIsReadOutsideOfTheDirectory() throws IOException {
		Path secret = write("secret.yml", "services: { secret: { cpus: 1 } }");
		Path inside = write("project/compose.yml", "");
		Files.createSymbolicLink(this.directory.resolve("project/link.yml"), secret);
		for (String reference : List.of("../secret.yml", "link.yml", secret.toAbsolutePath().toString(), "..",
				"https://example.com/x.yml", "oci://example.com/x", "none.yml", "a\\0b")) {
			Files.writeString(inside, """
					include: [ "%s" ]
					services:
					  shop: { cpus: 1, mem_limit: 1m, extends: { file: "%s", service: secret } }
					""".formatted(reference, reference));
			ComposeFile read = ComposeFile.read(inside);
			assertThat(read.services()).extracting(Service::name).containsExactly("shop");
			assertThat(read.notSeen()).hasSize(2)
				.anySatisfy((line) -> assertThat(line).startsWith("include ").contains("not read"))
				.anySatisfy((line) -> assertThat(line).startsWith("'shop' extends ").contains("not read"));
		}
	}

	@Test
	void circlesOfFilesAndServicesEnd() throws IOException {
		Path circle = write("compose.yml", "include: [ compose.yml ]\nservices: { a: {} }");
		assertThatThrownBy(() -> ComposeFile.read(circle)).isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("include each other");
		Path many = write("many.yml", "include: [ %s ]".formatted("one.yml, ".repeat(200)));
		write("one.yml", "services: {}");
		assertThatThrownBy(() -> ComposeFile.read(many)).isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("more than 100");
		refused("services: { a: { extends: { service: b } }, b: { extends: { service: a } } }", "extends itself");
		refused("services:\n  a: { extends: { service: b } }", "line 2", "'a' extends 'b', which compose.yml does not");
		Path twice = write("twice.yml", "include: [ other.yml ]\nservices: { a: {} }");
		write("other.yml", "services: { a: {} }");
		assertThatThrownBy(() -> ComposeFile.read(twice)).isInstanceOf(InvalidModelException.class)
			.hasMessageContaining("'a' is in an included file, too");
	}

	@Test
	void servicesOfChosenProfilesRun() throws IOException {
		Path file = write("compose.yml", """
				services:
				  shop: {}
				  debug: { profiles: [ dev, test ] }
				  load: { profiles: [ load ] }
				""");
		assertThat(ComposeFile.read(file).services()).extracting(Service::name).containsExactly("shop");
		assertThat(ComposeFile.read(file, Set.of("test")).services()).extracting(Service::name)
			.containsExactly("shop", "debug");
		assertThat(ComposeFile.read(file, Set.of("*")).services()).hasSize(3);
	}

	@Test
	void tiesBetweenServicesAreNamed() {
		ComposeFile file = ComposeFile.parse(
				"""
						services:
						  shop: { cpus: 1, mem_limit: 1m, deploy: { mode: global-job, placement: { preferences: [ { spread: node.labels.zone } ] } } }
						  sidecar: { cpus: 1, mem_limit: 1m, network_mode: "service:shop", volumes_from: [ shop ] }
						""",
				"compose.yml");
		for (String named : List.of("'shop' has the mode 'global-job'", "'shop': placement preferences",
				"'sidecar' must run beside 'shop' (network_mode)", "'sidecar' must run beside [shop] (volumes_from)")) {
			assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).contains(named));
		}
	}

	@Test
	void whatOnlySomeHostsHaveIsNamed() {
		ComposeFile file = ComposeFile.parse(
				"""
						services:
						  model:
						    cpus: 1
						    mem_limit: 1g
						    gpus: all
						    devices: [ "/dev/ttyUSB0:/dev/ttyUSB0" ]
						    platform: linux/arm64
						    deploy: { resources: { reservations: { devices: [ { capabilities: [ gpu ] } ], generic_resources: [] } } }
						  edge: { cpus: 1, mem_limit: 1g, network_mode: host, runtime: nvidia }
						""",
				"compose.yml");
		for (String named : List.of("'model' needs a host of a certain kind (gpus)", "kind (devices)",
				"kind (platform)", "kind (generic_resources)", "'edge' needs a host of a certain kind (runtime)",
				"'edge' takes ports of its host by itself (network_mode)")) {
			assertThat(file.notSeen()).anySatisfy((line) -> assertThat(line).contains(named));
		}
	}

	@Test
	void portsAreReadInBothForms() {
		ComposeFile file = ComposeFile.parse("""
				services:
				  shop:
				    cpus: 1
				    mem_limit: 1m
				    ports:
				      - { target: 80, published: "${PORT:-8080}" }
				      - { target: 81, published: 9000-9001 }
				      - { target: 82 }
				      - "127.0.0.1::83"
				      - "84-85"
				      - "[::1]:7000:86"
				      - "eighty:87"
				""", "compose.yml");
		assertThat(file.services().get(0).ports()).containsExactly(7000, 8080);
		assertThat(file.notSeen()).hasSize(3)
			.anySatisfy((line) -> assertThat(line).contains("one of the ports 9000-9001"))
			.anySatisfy((line) -> assertThat(line).contains("'shop': the port 'eighty:87' is not understood"))
			.anySatisfy((line) -> assertThat(line).contains("variables [PORT]"));
	}

	/** Docker takes the port 0 as any free one. */
	@Test
	void thePortZeroIsNoPortOfTheHost() {
		ComposeFile file = ComposeFile.parse("""
				services:
				  a: { cpus: 1, mem_limit: 1m, ports: [ "0:80", "127.0.0.1:0:81", { target: 82, published: 0 } ] }
				""", "x");
		assertThat(file.services().get(0).ports()).isEmpty();
		assertThat(file.notSeen()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "8080:80/udp | 8080:80/tcp | false", "8080:80/udp | 8080:80/udp | true",
					"8080:80 | 8080:81/tcp | true", "127.0.0.1:8080:80 | 127.0.0.2:8080:80 | false",
					"127.0.0.1:8080:80 | 127.0.0.1:8080:80 | true", "127.0.0.1:8080:80 | 8080:80 | true",
					"127.0.0.1:8080:80 | 0.0.0.0:8080:80 | true", "[::1]:8080:80 | [::]:8080:80 | true",
					"[::1]:8080:80 | 8080:80 | true", "[::1]:8080:80 | [0:0:0:0:0:0:0:1]:8080:80 | true",
					"[::1]:8080:80 | 127.0.0.1:8080:80 | false", "127.0.0.1:80-81:80-81/udp | 81:81/udp | true",
					"127.0.0.1:80-81:80-81/udp | 81:81 | false" })
	void aPortIsTakenByProtocolAndAddress(String one, String other, boolean conflict) {
		ComposeFile file = ComposeFile.parse("""
				services:
				  a: { cpus: 1, mem_limit: 1m, ports: [ "%s" ] }
				  b: { cpus: 1, mem_limit: 1m, ports: [ "%s" ] }
				""".formatted(one, other), "x");
		Set<Integer> both = new HashSet<>(file.services().get(0).ports());
		both.retainAll(file.services().get(1).ports());
		assertThat(!both.isEmpty() || !file.separations().isEmpty()).isEqualTo(conflict);
		// Replicas of either one conflict with each other all the same.
		assertThat(file.services()).allMatch((service) -> service.effectiveMaxPerHost() == 1);
		assertThat(file.notSeen()).isEmpty();
	}

	@Test
	void servicesThatShareOnlySomeAddressesOfAPortAreKeptApartInPairs() {
		ComposeFile file = ComposeFile.parse(
				"""
						services:
						  any: { cpus: 1, mem_limit: 1m, ports: [ "53:53/udp" ] }
						  one: { cpus: 1, mem_limit: 1m, ports: [ { target: 53, published: 53, protocol: udp, host_ip: 10.0.0.1 } ] }
						  two: { cpus: 1, mem_limit: 1m, ports: [ "10.0.0.2:53:53/udp", "80:80" ] }
						""",
				"x");
		assertThat(file.services()).extracting(Service::ports).containsExactly(Set.of(), Set.of(), Set.of(80));
		assertThat(file.separations()).containsExactly(
				new Separation(List.of("any", "one"), Separation.Scope.HOST, "both take the port 53/udp at 10.0.0.1"),
				new Separation(List.of("any", "two"), Separation.Scope.HOST, "both take the port 53/udp at 10.0.0.2"));
	}

	@Test
	void aMissingServiceMayBeInAFileThatIsNotRead() {
		refused("include: [ far.yml ]\nservices:\n  a:\n    depends_on: [ b ]\n", "line 4", "'b'",
				"it may be in 'far.yml'", "which is not read", "docker compose config");
	}

	@Test
	void aProfileThatNoServiceHasIsNamed() throws IOException {
		Path file = write("compose.yml",
				"services: { a: { cpus: 1, mem_limit: 1m }, b: { cpus: 1, mem_limit: 1m, profiles: [ debug ] } }");
		assertThat(ComposeFile.read(file, Set.of("debug", "nobody", "*")).notSeen()).singleElement()
			.asString()
			.contains("no service has the profile 'nobody'", "[debug]");
	}

	/** An environment that nobody reads here may say something else. */
	@Test
	void defaultsThatAreTakenAreNamed() {
		ComposeFile file = ComposeFile.parse(
				"""
						services:
						  shop:
						    cpus: ${CPUS:-0.5}
						    mem_limit: ${SHOP_MEMORY:-${MEMORY:-512m}}
						    deploy: { replicas: 2, placement: { constraints: [ "node.hostname != a$$b", "node.hostname != ${HOST:-c$$d}" ] } }
						""",
				"compose.yml");
		assertThat(file.services().get(0).demand()).isEqualTo(Resources.of(500, 512));
		assertThat(file.notOnHosts().get("shop")).containsExactly("a$b", "c$d");
		assertThat(file.notSeen()).singleElement()
			.asString()
			.contains("variables [CPUS, HOST, MEMORY, SHOP_MEMORY]; their defaults are taken", "docker compose config");
	}

	/** A value that is no list would be read as an empty one. */
	@Test
	void rulesThatAreNoListAreRefused() {
		refused("services:\n  a:\n    deploy: { placement: { constraints: node.role == manager } }\n", "line 3",
				"constraints should be a list, not 'node.role == manager'");
		refused("services:\n  a:\n    profiles: dev\n", "line 3", "profiles should be a list, not 'dev'");
		refused("services:\n  a:\n    ports: { 80: 80 }\n", "line 3", "ports should be a list");
	}

	@Test
	void anOverrideThatComposeWouldMergeIsNamed() throws IOException {
		Path file = write("compose.yml", "services: { a: { cpus: 1, mem_limit: 1m } }");
		assertThat(ComposeFile.read(file).notSeen()).isEmpty();
		write("compose.override.yml", "services: { a: { cpus: 2 } }");
		assertThat(ComposeFile.read(file).notSeen()).singleElement()
			.asString()
			.contains("'compose.override.yml' lies beside the file and is not read");
		Path other = write("stack.yml", "services: { a: { cpus: 1, mem_limit: 1m } }");
		assertThat(ComposeFile.read(other).notSeen()).isEmpty();
	}

	/** Bytes of an included file are as foreign as those of the first one. */
	@Property(tries = 200)
	void anyIncludedFileEndsInServicesOrAnError(@ForAll byte[] noise, @ForAll @IntRange(max = 10_000) int at)
			throws IOException {
		Path directory = Files.createTempDirectory("compose");
		Path other = directory.resolve("other.yml");
		Path file = Files.writeString(directory.resolve("compose.yml"),
				"include: [ other.yml ]\nservices: { last: { extends: { file: other.yml, service: front } } }");
		try {
			byte[] bytes = SHOP.getBytes(StandardCharsets.UTF_8);
			for (int i = 0; i < noise.length; i++) {
				bytes[Math.floorMod(at + 31 * i, bytes.length)] = noise[i];
			}
			Files.write(other, bytes);
			assertThat(ComposeFile.read(file).services()).isNotEmpty();
		}
		catch (InvalidModelException ex) {
			assertThat(ex).hasMessageMatching("(?s).*(compose|other).yml.*");
		}
		finally {
			Files.deleteIfExists(other);
			Files.deleteIfExists(file);
			Files.deleteIfExists(directory);
		}
	}

	@Test
	@Timeout(20)
	void missingValuesAreUnknownAndHugeNumbersAreRefused() {
		assertThat(ComposeFile.parse("services: { a: {} }", "compose.yml").services().get(0).demand().amounts())
			.isEmpty();
		refused("services:\n  a: { cpus: 1e999999999 }\n", "'1e999999999' is no number of processors");
		refused("services:\n  a: { cpus: -1e999999999 }\n", "is no number of processors");
	}

	/** Docker takes 0 for no limit, which says nothing of what a service needs. */
	@Test
	void aLimitOfZeroIsNoLimit() {
		ComposeFile file = ComposeFile.parse("""
				services:
				  a: { cpus: 0, mem_limit: 0 }
				  b:
				    deploy:
				      resources:
				        limits: { cpus: "0.0", memory: 0M }
				        reservations: { cpus: "0.25", memory: 64M }
				""", "compose.yml");
		assertThat(file.services().get(0).demand().amounts()).isEmpty();
		assertThat(file.services().get(1).demand()).isEqualTo(Resources.of(250, 64));
		assertThat(file.notSeen()).hasSize(2).allSatisfy((line) -> assertThat(line).startsWith("[a]: no "));
	}

	@Test
	void memoryHasTheUnitsOfDocker() {
		for (String text : List.of("1g", "1gb", "1G", "1Gi", "1 GiB", "1024m", "1048576k", "1073741824",
				"1073741824b")) {
			assertThat(ComposeFile.parse("services: { a: { mem_limit: %s } }".formatted(text), "compose.yml")
				.services()
				.get(0)
				.demand()
				.get(Resources.MEMORY)).as(text).isEqualTo(1024);
		}
		refused("services: { a: { mem_limit: 9999999999p } }", "is no amount of memory");
	}

	private static void refused(String text, String... parts) {
		assertThatThrownBy(() -> ComposeFile.parse(text, "compose.yml")).isInstanceOf(InvalidModelException.class)
			.hasMessageContainingAll(parts);
	}

	@Test
	void errorsNameTheLine() {
		refused("services:\n  a:\n    cpus: many\n", "compose.yml, line 3", "'many'", "0.5");
		refused("services:\n  a:\n    mem_limit: 5 apples\n", "line 3", "512M");
		refused("services:\n  a:\n    cpus: ${CPUS}\n", "line 3: '${CPUS}' has a variable", "docker compose config");
		refused("- a\n", "the file should have members, not a list;");
		refused("services: { a: { ports: { b: c } } }", "ports should be a list, not members");
		refused("services:\n  a:\n    depends_on: [ b ]\n", "line 3", "'b'");
		refused("services:\n  a:\n    deploy: { replicas: -2 }\n", "line 3", "'-2'");
		refused("services:\n  a: [ 1 ]\n", "line 2", "members");
		refused("services:\n  a:\n    command: [ \"run\n", "line", "truncated");
		refused("services:\n  a: {}\n  a: {}\n", "line 3", "duplicate");
		refused("version: '3'\n", "services");
		refused("", "empty");
	}

	@Test
	void doesNotMakeObjectsNorUnfoldBombs() {
		refused("services: !!javax.script.ScriptEngineManager [ ]\n", "compose.yml");
		StringBuilder bomb = new StringBuilder("a: &a [x,x,x,x,x,x,x,x,x]\n");
		for (char c = 'b'; c < 'z'; c++) {
			bomb.append(c)
				.append(": &")
				.append(c)
				.append(" [")
				.append(("*" + (char) (c - 1) + ",").repeat(9))
				.append("x]\n");
		}
		refused(bomb + "services: *y\n", "compose.yml");
	}

	/** A few lines of aliases stand for millions of members, or for one without end. */
	@ParameterizedTest
	@ValueSource(strings = { "{ cpus: *h }", "{ ports: [ *h ] }", "{ depends_on: *h }", "{ ? *h : 1 }",
			"{ deploy: { placement: { constraints: *h } } }", "{ cpus: &loop [ [ *loop ] ] }",
			"{ deploy: &loop { resources: *loop } }" })
	void aliasesThatUnfoldWithoutMeasureAreRefused(String members) {
		StringBuilder text = new StringBuilder("x-a: &a [x,x,x,x,x,x,x,x,x]\n");
		for (char c = 'b'; c <= 'h'; c++) {
			text.append("x-%1$c: &%1$c [%2$sx]%n".formatted(c, ("*" + (char) (c - 1) + ",").repeat(9)));
		}
		refused(text + "services: { front: " + members + " }\n", "compose.yml", "aliases", "docker compose config");
	}

	/** Such texts would control the terminal that they are printed on. */
	@Test
	void whatErrorsAndSentencesQuoteIsPrintable() {
		assertThatThrownBy(
				() -> ComposeFile.parse("services: { a: { cpus: \"\\e[31m" + "1".repeat(100_000) + "\" } }", "c"))
			.isInstanceOf(InvalidModelException.class)
			.satisfies((ex) -> assertThat(String.valueOf(ex.getMessage())).contains("\\u001B[31m1")
				.matches(PrintableText::isPrintable)
				.hasSizeLessThan(1000));
		ComposeFile file = ComposeFile.parse(
				"""
						services:
						  a: { cpus: 1 }
						  "b\\e[31m": { scale: 0 }
						  c: { cpus: 1, deploy: { mode: "x\\nRecommendation: apply", placement: { constraints: [ "node.role\\e[0m" ] } } }
						""",
				"c");
		assertThat(file.notSeen()).allMatch(PrintableText::isPrintable)
			.anySatisfy((line) -> assertThat(line).contains("node.role\\u001B[0m"))
			.anySatisfy((line) -> assertThat(line).contains("x\\u000ARecommendation"))
			.anySatisfy((line) -> assertThat(line).contains("b\\u001B[31m"));
	}

	@Property(tries = 500)
	void anythingEndsInServicesOrAnError(@ForAll byte[] noise, @ForAll @IntRange(max = 10_000) int at,
			@ForAll @IntRange(max = 800) int cut) {
		byte[] bytes = SHOP.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < noise.length; i++) {
			bytes[Math.floorMod(at + 31 * i, bytes.length)] = noise[i];
		}
		String text = new String(bytes, 0, Math.max(0, bytes.length - cut), StandardCharsets.UTF_8);
		try {
			assertThat(ComposeFile.parse(text, "compose.yml").services()).isNotEmpty();
		}
		catch (InvalidModelException ex) {
			assertThat(ex).hasMessageContaining("compose.yml");
		}
	}

}
