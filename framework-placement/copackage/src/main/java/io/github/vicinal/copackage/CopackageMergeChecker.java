package io.github.vicinal.copackage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.recommend.MergeChecker;

/**
 * Decides for the placement which services may share a JVM, from facts in their files.
 *
 * @since 0.1.0
 */
public final class CopackageMergeChecker implements MergeChecker {

	private final Map<String, Inventory> inventories = new HashMap<>();

	private final ConflictChecker checker;

	private final long savedMib;

	private final Map<List<String>, List<String>> known = new HashMap<>();

	/**
	 * Creates a checker.
	 * @param inventories applications, by the names of their services
	 * @param ports that they get, by name; otherwise what their files say
	 * @param checker finds conflicts
	 * @param savedMib memory that a service saves if it is not the first of its JVM, in
	 * MiB
	 */
	public CopackageMergeChecker(List<Inventory> inventories, Map<String, Integer> ports, ConflictChecker checker,
			long savedMib) {
		inventories.forEach((each) -> {
			Integer port = ports.get(each.name());
			this.inventories.put(each.name(),
					(port != null) ? each.withArguments(List.of("--server.port=" + port)) : each);
		});
		this.checker = checker;
		this.savedMib = savedMib;
	}

	@Override
	public long savedMib() {
		return this.savedMib;
	}

	@Override
	public synchronized List<String> obstacles(String one, String other) {
		Inventory first = this.inventories.get(one);
		Inventory second = this.inventories.get(other);
		if (first == null && second == null) {
			return List.of(UNKNOWN);
		}
		if (first == null || second == null) {
			return List.of("%s'%s'".formatted(UNKNOWN_OF, (first == null) ? one : other));
		}
		return this.known.computeIfAbsent(List.of(one, other), (pair) -> {
			PairReport report = this.checker.check(first, second);
			return report.verdict().oneJvm() ? List.of()
					: report.findings()
						.stream()
						.filter((finding) -> !finding.limit().oneJvm())
						.map((finding) -> finding.reason() + "; " + finding.remedy())
						.toList();
		});
	}

}
