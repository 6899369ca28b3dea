package io.github.vicinal.boot.placement;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.ModelDescriptor;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.RecommendationDescriptor;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.sources.Cluster.PathInUse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** The page in a browser, at the widths of a phone, a tablet and a desk. */
class PlacementPageTests {

	private static final int[] WIDTHS = { 390, 768, 1440 };

	private static final int[] SIZES = { 20, 100 };

	/** Looks at the page once it shows something, and tells the page around it. */
	private static final String LOOK = """
			<script>
			(function look() {
			  if (document.getElementById('content').hidden) { setTimeout(look, 20); return; }
			  const light = colour => { const [r, g, b] = colour.match(/[0-9.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4)); return .2126 * r + .7152 * g + .0722 * b; };
			  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
			  const card = getComputedStyle(document.querySelector('.card')).backgroundColor, drawings = [...document.querySelectorAll('.drawing')];
			  const nodes = [...drawings[drawings.length - 1].querySelectorAll('.node')];
			  const overview = Math.max(...drawings.map(box => box.scrollWidth - box.clientWidth));
			  nodes[0].focus();
			  nodes[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
			  const second = document.activeElement === nodes[1];
			  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
			  const at = document.activeElement.getBoundingClientRect(), around = drawings[drawings.length - 1].getBoundingClientRect();
			  parent.postMessage({ name: document.title, overview, inSight: at.left >= around.left && at.right <= around.right && at.top >= around.top && at.bottom <= around.bottom, dark: matchMedia('(prefers-color-scheme: dark)').matches,
			    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
			    drawings: drawings.map(box => ({ wider: box.scrollWidth - box.clientWidth, nodes: box.querySelectorAll('.node').length, edges: box.querySelectorAll('.edge').length, arrows: box.querySelectorAll('.edge[marker-end]').length,
			      changed: box.querySelectorAll('.node.changed').length, tabbed: box.querySelectorAll('.node[tabindex="0"]').length, top: Math.round(box.getBoundingClientRect().top),
			      cut: (svg => { const all = svg.getBBox(), seen = svg.viewBox.baseVal; return Math.max(-all.x, -all.y, all.x + all.width - seen.width, all.y + all.height - seen.height); })(box.querySelector('svg')),
			      scale: box.querySelector('svg').getBoundingClientRect().width / box.querySelector('svg').viewBox.baseVal.width })),
			    text: contrast(getComputedStyle(document.body).color, card), soft: contrast(getComputedStyle(document.querySelector('.soft')).color, card),
			    keyboard: second && document.getElementById('selected').textContent.length, unnamed: nodes.filter(node => !node.getAttribute('aria-label')).length,
			    figures: document.getElementById('figures').textContent,
			    beyond: Math.max(...nodes.flatMap(node => [...node.querySelectorAll('text')].map(text => text.getBBox().x + text.getBBox().width - node.querySelector('.box').getBBox().x - node.querySelector('.box').getBBox().width))),
			    tables: Math.max(...[...document.querySelectorAll('.scroll')].map(box => box.scrollWidth - box.clientWidth)),
			    leftOut: document.getElementById('left-out').hidden ? '' : document.getElementById('left-out').textContent, names: nodes.map(node => [...node.querySelectorAll('text')].slice(0, -1).map(line => line.textContent).join('')),
			    override: btoa(unescape(encodeURIComponent(document.getElementById('override').textContent))) }, '*');
			})();
			</script>
			""";

	/** Shows pages side by side, and what they tell. */
	private static final String FRAMES = """
			<!doctype html><title>frames</title><pre id="told"></pre>
			<script>const told = []; addEventListener('message', event => { told.push(event.data); document.getElementById('told').textContent = JSON.stringify(told); });</script>
			""";

	@TempDir
	private Path directory;

	private static String browser() {
		return Arrays.stream(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
			.flatMap((directory) -> Stream.of("chromium", "chromium-browser", "google-chrome")
				.map((name) -> Path.of(directory, name)))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst()
			.orElse("");
	}

	private static String resource(String name) throws Exception {
		try (InputStream in = Objects.requireNonNull(PlacementEndpoint.class.getResourceAsStream(name))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	/** Services in layers, of which each calls some of the next ones. */
	private static PlacementModel model(int services) {
		SplittableRandom random = new SplittableRandom(services);
		String[] words = { "order", "stock", "price", "seat-preserve", "verification", "route", "user", "mail",
				"basket", "admin-basic-info" };
		int layers = (services > 50) ? 8 : 5;
		int places = services / 6 + 3;
		List<Service> all = new ArrayList<>();
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		Evidence evidence = new Evidence("micrometer", 72000, Duration.ofMinutes(10), false, "");
		for (int s = 0; s < services; s++) {
			String name = name(words, s);
			int replicas = 1 + random.nextInt(3);
			all.add(new Service(name, replicas, Resources.of(500, 512)));
			Map<String, Integer> on = new TreeMap<>();
			for (int r = 0; r < replicas; r++) {
				on.merge(host((7 * s + r) % places), 1, Integer::sum);
			}
			current.put(name, on);
			int layer = s * layers / services;
			for (int calls = random.nextInt(3); layer > 0 && calls >= 0; calls--) {
				int caller = random.nextInt(Math.max(1, s - services / layers));
				edges.add(new Edge(name(words, caller), name, 1.0 + random.nextInt(900), 1000.0, null, null, null,
						evidence));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < places; h++) {
			hosts
				.add(new Host(host(h), "zone-" + h % 3, Resources.of(8000, 8192), Resources.none(), Integer.MAX_VALUE));
		}
		return new PlacementModel(all, hosts, edges, List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(current));
	}

	private static String name(String[] words, int service) {
		return "ts-%s-%d-service".formatted(words[service % words.length], service);
	}

	private static String host(int number) {
		return "worker-%02d.west".formatted(number);
	}

	private static PlacementEndpoint.PlacementDescriptor found(PlacementModel model, Recommendation found) {
		List<PathInUse> paths = model.edges()
			.stream()
			.map((edge) -> new PathInUse(edge.from(), edge.to(), "http"))
			.toList();
		return new PlacementEndpoint.PlacementDescriptor(PlacementEndpoint.FORMAT, PlacementEndpoint.VERSION,
				"recommend", ModelDescriptor.of(model), paths, List.of(), RecommendationDescriptor.of(found),
				List.of("'mail' does not report"));
	}

	private static Recommendation recommend(PlacementModel model) {
		return new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
				Budget.ofIterations(30_000, 1), Progress.none());
	}

	private String page(int width, int services, PlacementModel model, Recommendation found) throws Exception {
		// Within an element, which the answer of a server is not.
		String json = JsonMapper.shared()
			.writeValueAsString(JsonMapper.shared().writeValueAsString(found(model, found)))
			.replace("<", "\\u003c");
		return resource("placement.html").replace("<title>Placement</title>",
				"<title>%d-%d</title><script>window.fetch = async () => ({ ok: true, json: async () => JSON.parse(%s) });</script>"
					.formatted(width, services, json))
			.replace("<link rel=\"stylesheet\" href=\"page.css\">", "<style>" + resource("placement.css") + "</style>")
			.replace("<script src=\"dagre.js\">", "<script>" + resource("dagre.min.js"))
			.replace("<script src=\"page.js\">", "<script>" + resource("placement.js"))
			.replace("</body>", LOOK + "</body>");
	}

	/** Shows all pages in frames of their widths, and returns what each tells. */
	private List<JsonNode> look(String browser, String scheme, List<String> frames) throws Exception {
		Path all = Files.writeString(this.directory.resolve("frames.html"), FRAMES + String.join("\n", frames));
		Path output = this.directory.resolve("shown.html");
		Process process = new ProcessBuilder(browser, "--headless=new", "--no-sandbox", "--disable-gpu",
				"--user-data-dir=" + this.directory.resolve("profile"), "--window-size=1600,1000",
				"--blink-settings=preferredColorScheme=" + (scheme.equals("dark") ? 0 : 1),
				"--virtual-time-budget=30000", "--dump-dom", all.toUri().toString())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("the browser has ended").isTrue();
			String shown = Files.readString(output);
			Matcher told = Pattern.compile("<pre id=\"told\">(.*?)</pre>").matcher(shown);
			assertThat(told.find()).as(shown).isTrue();
			List<JsonNode> answers = new ArrayList<>();
			JsonMapper.shared().readTree(told.group(1)).forEach(answers::add);
			return answers;
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroy);
			process.destroy();
			if (!process.waitFor(10, TimeUnit.SECONDS)) {
				process.destroyForcibly().waitFor();
			}
		}
	}

	/**
	 * The page itself never scrolls sideways; at a desk the graph does not, either, and
	 * its names can be read.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "light", "dark" })
	@Timeout(240)
	void fitsIntoEachWidth(String scheme) throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		List<String> frames = new ArrayList<>();
		Map<Integer, PlacementModel> models = new TreeMap<>();
		Map<Integer, Recommendation> plans = new TreeMap<>();
		for (int services : SIZES) {
			models.put(services, model(services));
			plans.put(services, recommend(model(services)));
			for (int width : WIDTHS) {
				Path file = this.directory.resolve("%d-%d.html".formatted(width, services));
				Files.writeString(file, page(width, services, model(services), plan(plans, services)));
				frames.add("<iframe src=\"%s\" width=\"%d\" height=\"900\"></iframe>".formatted(file.getFileName(),
						width));
			}
		}
		List<JsonNode> told = look(browser, scheme, frames);
		assertThat(told).extracting((one) -> one.get("name").asString())
			.containsExactlyInAnyOrder("390-20", "768-20", "1440-20", "390-100", "768-100", "1440-100");
		for (JsonNode one : told) {
			String[] name = one.get("name").asString().split("-");
			int width = Integer.parseInt(name[0]);
			int services = Integer.parseInt(name[1]);
			String as = one.get("name").asString() + ", " + scheme;
			assertThat(one.get("dark").asBoolean()).as(as).isEqualTo(scheme.equals("dark"));
			assertThat(one.get("leftOut").asString()).as(as).isEmpty();
			assertThat(one.get("wider").asInt()).as("page beyond its width: " + as).isNotPositive();
			assertThat(one.get("text").asDouble()).as("contrast of text: " + as).isGreaterThan(7);
			assertThat(one.get("soft").asDouble()).as("contrast of soft text: " + as).isGreaterThan(4.5);
			assertThat(one.get("keyboard").asInt()).as("arrow and Enter: " + as).isPositive();
			assertThat(one.get("unnamed").asInt()).as("services without a name for a screen reader: " + as).isZero();
			JsonNode drawings = one.get("drawings");
			assertThat(drawings).as(as).hasSize(2);
			long edges = Objects.requireNonNull(models.get(services))
				.edges()
				.stream()
				.map((edge) -> edge.from() + " " + edge.to())
				.distinct()
				.count();
			for (JsonNode drawing : drawings) {
				assertThat(drawing.get("nodes").asInt()).as(as).isEqualTo(services);
				assertThat(drawing.get("edges").asInt()).as(as).isGreaterThanOrEqualTo((int) edges);
				assertThat(drawing.get("arrows").asInt()).as(as).isEqualTo(drawing.get("edges").asInt());
				assertThat(drawing.get("tabbed").asInt()).as(as).isEqualTo(1);
				assertThat(drawing.get("scale").asDouble()).as("scale: " + as).isGreaterThan(0.71);
				assertThat(drawing.get("cut").asDouble()).as("lines and labels beyond the drawing: " + as)
					.isNotPositive();
				if (width == 390) {
					assertThat(one.get("overview").asInt()).as("a phone begins with all of the graph: " + as)
						.isNotPositive();
					assertThat(one.get("inSight").asBoolean()).as("the chosen service is in sight: " + as).isTrue();
				}
				if (width == 1440 || (width == 768 && services == 20)) {
					assertThat(drawing.get("wider").asInt()).as("graph beyond its box: " + as).isNotPositive();
				}
			}
			long moved = plan(plans, services).moves().stream().map((move) -> move.service()).distinct().count();
			assertThat(drawings.get(0).get("changed").asInt()).as(as).isZero();
			assertThat(drawings.get(1).get("changed").asInt()).as(as).isEqualTo((int) moved);
			boolean beside = drawings.get(0).get("top").asInt() == drawings.get(1).get("top").asInt();
			if (width == 1440 && services == 20) {
				assertThat(beside).as("now and recommended side by side: " + as).isTrue();
			}
		}
	}

	/** Where hundreds of edges cross, the heaviest are drawn, and it is said so. */
	/** The layout leaves lines outside of what it says is its size. */
	@Test
	@Timeout(240)
	void linesAroundServicesAreNotCutOff() throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		List<Service> services = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		for (String name : List.of("route-plan", "price", "travel2", "config", "route", "travel", "order",
				"order-other", "ui", "seat", "travel-plan", "ticketinfo", "station", "basic", "train")) {
			services.add(new Service(name, 1, Resources.of(5, 1)));
			current.put(name, Map.of("host", 1));
		}
		List<Edge> edges = new ArrayList<>();
		for (String edge : """
				travel2 train; travel-plan ticketinfo; travel-plan route-plan; seat order-other; basic price; \
				ticketinfo basic; travel order; ui travel-plan; seat config; basic route; seat order; \
				travel-plan seat; seat travel; travel train; basic station; travel seat; travel route; \
				route-plan travel2; travel2 ticketinfo; travel2 order-other; seat travel2; route-plan travel; \
				travel2 route; travel2 seat; travel-plan station; basic train; travel ticketinfo""".split("; ")) {
			String[] ends = edge.split(" ");
			edges.add(Edge.calls(ends[0], ends[1], 10));
		}
		PlacementModel model = new PlacementModel(services, List.of(new Host("host", Resources.of(100, 100))), edges,
				List.of(), PathCosts.defaults(), Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(current));
		Path file = Files.writeString(this.directory.resolve("one.html"), page(1440, 15, model, recommend(model)));
		JsonNode told = look(browser, "light",
				List.of("<iframe src=\"%s\" width=\"1440\" height=\"900\"></iframe>".formatted(file.getFileName())))
			.get(0);
		for (JsonNode drawing : told.get("drawings")) {
			assertThat(drawing.get("edges").asInt()).isEqualTo(27);
			assertThat(drawing.get("cut").asDouble()).isNotPositive();
		}
	}

	@Test
	@Timeout(240)
	void aDenseGraphShowsItsHeaviestEdges() throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		PlacementModel sparse = model(100);
		SplittableRandom random = new SplittableRandom(1);
		List<String> names = sparse.services().stream().map(Service::name).toList();
		Map<String, Edge> edges = new TreeMap<>();
		for (String from : names) {
			for (int i = 0; i < 8; i++) {
				String to = names.get(random.nextInt(names.size()));
				if (!to.equals(from)) {
					edges.put(from + ' ' + to, Edge.calls(from, to, 1 / (1 - random.nextDouble())));
				}
			}
		}
		PlacementModel model = sparse.withEdges(List.copyOf(edges.values()));
		Path file = Files.writeString(this.directory.resolve("dense.html"), page(1440, 100, model, recommend(model)));
		JsonNode told = look(browser, "light",
				List.of("<iframe src=\"%s\" width=\"1440\" height=\"900\"></iframe>".formatted(file.getFileName())))
			.get(0);
		int drawn = told.get("drawings").get(1).get("edges").asInt();
		assertThat(drawn).isBetween(100, 250);
		assertThat(told.get("leftOut").asString())
			.startsWith("%d of %d edges are drawn".formatted(drawn, edges.size()));
		for (JsonNode drawing : told.get("drawings")) {
			assertThat(drawing.get("nodes").asInt()).isEqualTo(100);
			assertThat(drawing.get("wider").asInt()).isNotPositive();
		}
		// The end of a name tells services apart.
		List<String> shown = new ArrayList<>();
		told.get("names").forEach((name) -> shown.add(name.asString()));
		assertThat(shown).doesNotHaveDuplicates();
	}

	/**
	 * Names are text, whatever stands in them, and stay within their boxes and tables.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 390, 1440 })
	@Timeout(240)
	void strangeNamesAreShownAsTheyAre(int width) throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		List<String> names = List.of("<script>document.title='hit'</script>", "a\"b'c&d</text>", "x".repeat(200),
				"W".repeat(20), "\u5e93\u5b58".repeat(20), "\u05e9\u05dc\u05d5\u05dd",
				"<img src=x onerror=document.title='hit'>", "__proto__", "constructor", "orders");
		List<Edge> edges = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		for (int i = 0; i < names.size(); i++) {
			current.put(names.get(i), Map.of((i % 2 == 0) ? "<b>x</b>" : "y'\"", 1));
			if (i > 0) {
				edges.add(Edge.calls(names.get(i - 1), names.get(i), 100.0 * i));
			}
		}
		PlacementModel model = new PlacementModel(
				names.stream().map((name) -> new Service(name, 1, Resources.of(5, 1))).toList(),
				List.of(new Host("<b>x</b>", Resources.of(100, 10)), new Host("y'\"", Resources.of(100, 10))), edges,
				List.of(), PathCosts.defaults(), Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(current));
		Path file = Files.writeString(this.directory.resolve("one.html"),
				page(width, names.size(), model, recommend(model)));
		JsonNode told = look(browser, "light", List
			.of("<iframe src=\"%s\" width=\"%d\" height=\"900\"></iframe>".formatted(file.getFileName(), width)))
			.get(0);
		assertThat(told.get("name").asString()).isEqualTo(width + "-" + names.size());
		assertThat(told.get("wider").asInt()).as("page beyond its width").isNotPositive();
		assertThat(told.get("beyond").asDouble()).as("text beyond its box").isNotPositive();
		assertThat(told.get("tables").asInt()).as("tables beyond their boxes").isNotPositive();
	}

	/** What nobody measured is not 0 %. */
	@Test
	@Timeout(240)
	void trafficThatNobodyMeasuredIsNotKnown() throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		PlacementModel model = new PlacementModel(
				List.of(new Service("a", 1, Resources.of(5, 1)), new Service("b", 1, Resources.of(5, 1))),
				List.of(new Host("x", Resources.of(100, 10)), new Host("y", Resources.of(100, 10))), List.of(),
				List.of(), PathCosts.defaults(), Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM),
				new Plan(Map.of("a", Map.of("x", 1), "b", Map.of("y", 1))));
		Path file = Files.writeString(this.directory.resolve("one.html"), page(1440, 2, model, recommend(model)));
		JsonNode told = look(browser, "light",
				List.of("<iframe src=\"%s\" width=\"1440\" height=\"900\"></iframe>".formatted(file.getFileName())))
			.get(0);
		assertThat(told.get("figures").asString()).contains("Traffic between hosts, of callsnot known")
			.contains("how far from the best is not known")
			.doesNotContain("proven")
			.doesNotContain("0.0 %");
	}

	private static Recommendation plan(Map<Integer, Recommendation> plans, int services) {
		return Objects.requireNonNull(plans.get(services));
	}

	/** The copied text is YAML, and leaves nothing on a host that the model left out. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Timeout(240)
	void theCopiedOverrideEmptiesADrainedHost(boolean gone) throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		List<Host> hosts = new ArrayList<>(
				List.of(new Host("x", Resources.of(100, 10)), new Host("y", Resources.of(100, 10))));
		if (!gone) {
			hosts.add(new Host("old", "", Resources.of(100, 10), Resources.none(), 0));
		}
		PlacementModel model = new PlacementModel(
				List.of(new Service("a", 2, Resources.of(5, 1)), new Service("b", 1, Resources.of(5, 1)),
						new Service("c", 1, Resources.of(5, 1)), new Service("d", 1, Resources.of(5, 1))),
				hosts, List.of(Edge.calls("c", "d", 5000)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), new Plan(Map.of("a", Map.of("x", 1, "old", 1),
						"b", Map.of("old", 1), "c", Map.of("x", 1), "d", Map.of("y", 1))));
		Path file = Files.writeString(this.directory.resolve("one.html"), page(1440, 4, model, recommend(model)));
		JsonNode told = look(browser, "light",
				List.of("<iframe src=\"%s\" width=\"1440\" height=\"900\"></iframe>".formatted(file.getFileName())))
			.get(0);
		String override = new String(Base64.getDecoder().decode(told.get("override").asString()),
				StandardCharsets.UTF_8);
		JsonNode services = JsonMapper.shared().valueToTree(new Yaml().<Object>load(override)).get("services");
		Map<String, List<String>> constraints = new TreeMap<>();
		services.properties().forEach((service) -> {
			List<String> all = new ArrayList<>();
			service.getValue()
				.get("deploy")
				.get("placement")
				.get("constraints")
				.forEach((one) -> all.add(one.asString()));
			constraints.put(service.getKey(), all);
		});
		assertThat(constraints).as(override).containsOnlyKeys("a", "b", "c", "d");
		assertThat(constraints.get("a")).containsExactly("node.hostname != old");
		for (String name : List.of("b", "c", "d")) {
			assertThat(constraints.get(name)).singleElement().asString().matches("node.hostname == [xy]");
		}
	}

	/**
	 * An application whose actuator asks for a user, or whose session has expired. Its
	 * policy allows files of its own alone, or not even these.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "basic|Nothing to show: nothing is known here",
			"expired|Nothing to show: the server asks for a sign-in (status 401). Sign in, and load this page again",
			"login|Nothing to show: the server asks for a sign-in. Sign in, and load this page again",
			"forbidden|Nothing to show: this user may not read the data (status 403)",
			"broken|Nothing to show: the answer is no JSON (status 502)",
			"alone|Nothing to show: Failed to fetch: the server does not answer, or a Content-Security-Policy forbids",
			"closed|The browser has not run the scripts of this page." })
	@Timeout(120)
	void aPageBehindASignInSaysSo(String server, String status) throws Exception {
		String browser = browser();
		assumeThat(browser).as("No Chromium is on the path, so nobody looks at the page").isNotEmpty();
		String user = "Basic " + Base64.getEncoder().encodeToString("ops:s3cret%".getBytes(StandardCharsets.UTF_8));
		HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		String html = resource("placement.html");
		Map<String, String> scripts = Map.of("page.js", resource("placement.js"), "dagre.js", resource("dagre.min.js"));
		String policy = switch (server) {
			case "alone" -> "script-src 'self'; connect-src 'none'";
			case "closed" -> "default-src 'none'";
			default -> "default-src 'self'";
		};
		http.createContext("/", (exchange) -> {
			String path = exchange.getRequestURI().getPath();
			String script = scripts.get(path.substring(path.lastIndexOf('/') + 1));
			exchange.getResponseHeaders().set("Content-Security-Policy", policy);
			boolean page = path.endsWith("/page");
			if (server.equals("basic") && !user.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
				exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"actuator\"");
				answer(exchange, 401, "");
			}
			else if (script != null) {
				exchange.getResponseHeaders().set("Content-Type", "text/javascript");
				answer(exchange, 200, script);
			}
			else if (page || path.equals("/login")) {
				exchange.getResponseHeaders().set("Content-Type", "text/html");
				answer(exchange, 200, page ? html : "<html>Sign in</html>");
			}
			else {
				exchange.getResponseHeaders().set("Location", "/login");
				switch (server) {
					case "basic" -> answer(exchange, 400, "{\"message\": \"nothing is known here\"}");
					case "login" -> answer(exchange, 302, "");
					case "forbidden" -> answer(exchange, 403, "{\"status\": 403}");
					default -> answer(exchange, server.equals("expired") ? 401 : 502, "");
				}
			}
		});
		http.start();
		try {
			Path output = this.directory.resolve("page.html");
			Process process = new ProcessBuilder(browser, "--headless=new", "--no-sandbox", "--disable-gpu",
					"--user-data-dir=" + this.directory.resolve("profile"), "--virtual-time-budget=10000", "--dump-dom",
					"http://ops:s3cret%25@localhost:" + http.getAddress().getPort() + "/actuator/vicinalplacement/page")
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.redirectOutput(output.toFile())
				.start();
			try {
				assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the browser has ended").isTrue();
			}
			finally {
				process.descendants().forEach(ProcessHandle::destroy);
				process.destroyForcibly().waitFor();
			}
			Matcher shown = Pattern.compile("<p id=\"status\"[^>]*>([^<]*)").matcher(Files.readString(output));
			assertThat(shown.find()).isTrue();
			assertThat(shown.group(1)).startsWith(status);
		}
		finally {
			http.stop(0);
		}
	}

	private static void answer(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, (bytes.length > 0) ? bytes.length : -1);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

}
