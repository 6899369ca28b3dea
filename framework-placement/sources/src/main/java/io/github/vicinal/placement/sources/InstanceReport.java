package io.github.vicinal.placement.sources;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.JsonMember;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Report of one running instance about itself: its host, its usage and its calls.
 * {@code /actuator/vicinalplacement/instance} shows it, and the endpoint of another
 * instance reads it.
 *
 * @param service name of the service
 * @param instance names the instance among all; changes when it restarts
 * @param process names the process: services that share a JVM say the same
 * @param host names the host
 * @param zone the zone of the host, empty if there are none
 * @param processors processors of the host, as far as the instance can see
 * @param hostMemoryMib memory of the host, in MiB, as far as the instance can see
 * @param uptimeSeconds for how long it has been counting
 * @param cpuSeconds CPU time of the process in that time
 * @param memoryMib memory of the process, in MiB
 * @param incomingCalls calls that it served
 * @param incomingSeconds time that it took to serve them, in seconds, 0 if unknown
 * @param outgoing calls that it made
 * @param memory limits and peak of its memory
 * @since 0.1.0
 */
public record InstanceReport(String service, String instance, String process, String host, String zone, int processors,
		long hostMemoryMib, double uptimeSeconds, double cpuSeconds, long memoryMib, double incomingCalls,
		double incomingSeconds, List<Outgoing> outgoing, ProcessMemory memory) {

	/** Value of the member {@code format}. */
	public static final String FORMAT = "vicinal-placement-instance";

	/** Value of the member {@code version}. */
	public static final int VERSION = 1;

	private static final int MAX_NAME = 256;

	private static final int MAX_OUTGOING = 10_000;

	public InstanceReport {
		outgoing = List.copyOf(outgoing);
	}

	/**
	 * Creates a report without limits of memory.
	 * @param service name of the service
	 * @param instance names the instance among all
	 * @param process names the process
	 * @param host names the host
	 * @param zone the zone of the host
	 * @param processors processors of the host
	 * @param hostMemoryMib memory of the host, in MiB
	 * @param uptimeSeconds for how long it has been counting
	 * @param cpuSeconds CPU time of the process in that time
	 * @param memoryMib memory of the process, in MiB
	 * @param incomingCalls calls that it served
	 * @param incomingSeconds time that it took to serve them, in seconds
	 * @param outgoing calls that it made
	 */
	public InstanceReport(String service, String instance, String process, String host, String zone, int processors,
			long hostMemoryMib, double uptimeSeconds, double cpuSeconds, long memoryMib, double incomingCalls,
			double incomingSeconds, List<Outgoing> outgoing) {
		this(service, instance, process, host, zone, processors, hostMemoryMib, uptimeSeconds, cpuSeconds, memoryMib,
				incomingCalls, incomingSeconds, outgoing, ProcessMemory.UNKNOWN);
	}

	/**
	 * Calls to one peer over one path.
	 *
	 * @param target the name that the caller has for the service
	 * @param address where HTTP reaches the peer, {@code host:port}, empty if unknown
	 * @param instance what the peer calls itself, empty if it has not said
	 * @param path the path
	 * @param calls calls that were made
	 * @param bytes bytes of calls and replies, {@code null} where nobody counts them
	 * @param cost what the caller measured of them, {@code null} if it has not
	 * @since 0.1.0
	 */
	public record Outgoing(String target, String address, String instance, String path, double calls,
			@Nullable Double bytes, @Nullable Cost cost) {

		/**
		 * Time of a call as its caller sees it, {@code fixed + perByte * bytes}, which
		 * includes the service at the other end.
		 *
		 * @param fixedNanos time apart from the bytes, in ns
		 * @param nanosPerByte more of it for each byte of call and reply, 0 while calls
		 * of different sizes have not shown it
		 * @param callerCpuNanos CPU time of the caller, in ns, {@code null} if it was not
		 * measured
		 * @since 0.1.0
		 */
		public record Cost(double fixedNanos, double nanosPerByte, @Nullable Double callerCpuNanos) {
		}

	}

	/**
	 * Reads a report.
	 * @param document what an instance answered
	 * @param place what errors call it
	 * @return the report
	 * @throws InvalidModelException if it is none; the message names the member
	 */
	public static InstanceReport read(JsonNode document, String place) {
		JsonMember root = new JsonMember(document, place);
		if (!root.text("format", "").equals(FORMAT) || root.integer("version", 0, 0, Integer.MAX_VALUE) != VERSION) {
			throw root.wrong("a report begins with \"format\": \"%s\", \"version\": %d".formatted(FORMAT, VERSION));
		}
		List<Outgoing> outgoing = new ArrayList<>();
		List<JsonMember> members = root.list("outgoing");
		if (members.size() > MAX_OUTGOING) {
			throw root.wrong("outgoing has %d elements; at most %d are read".formatted(members.size(), MAX_OUTGOING));
		}
		for (JsonMember member : members) {
			Double bytes = member.number("bytes");
			outgoing.add(new Outgoing(name(member, "target"), name(member, "address"), name(member, "instance"),
					name(member, "path"), amount(member, "calls"), (bytes != null) ? amount(member, "bytes") : null,
					cost(member)));
		}
		if (root.number("uptimeSeconds") == null) {
			throw root.wrong("uptimeSeconds is missing; without it, counts are no rates");
		}
		if (name(root, "service").isBlank() || name(root, "instance").isBlank()) {
			throw root.wrong("service and instance must not be empty");
		}
		return new InstanceReport(name(root, "service"), name(root, "instance"), name(root, "process"),
				name(root, "host"), name(root, "zone"), (int) root.integer("processors", 1, 1, 100_000),
				root.integer("hostMemoryMiB", 0, 0, 1L << 40), amount(root, "uptimeSeconds"),
				amount(root, "cpuSeconds"), root.integer("memoryMiB", 0, 0, 1L << 40), amount(root, "incomingCalls"),
				amount(root, "incomingSeconds"), outgoing, memory(root));
	}

	private static ProcessMemory memory(JsonMember root) {
		JsonMember memory = root.object("memory");
		return (memory == null) ? ProcessMemory.UNKNOWN
				: new ProcessMemory(mib(memory, "heapLimitMiB"), memory.flag("heapLimitChosen"),
						mib(memory, "nonHeapMiB"), mib(memory, "containerLimitMiB"), mib(memory, "peakMiB"));
	}

	private static long mib(JsonMember memory, String name) {
		return memory.integer(name, 0, 0, 1L << 40);
	}

	private static Outgoing.@Nullable Cost cost(JsonMember member) {
		JsonMember cost = member.object("cost");
		if (cost == null) {
			return null;
		}
		Double cpu = cost.number("callerCpuNanos");
		return new Outgoing.Cost(amount(cost, "fixedNanos"), amount(cost, "nanosPerByte"),
				(cpu != null) ? amount(cost, "callerCpuNanos") : null);
	}

	private static String name(JsonMember member, String name) {
		String text = member.text(name, "");
		if (text.length() > MAX_NAME) {
			throw member.wrong("%s has %d characters; at most %d are read".formatted(name, text.length(), MAX_NAME));
		}
		return text;
	}

	private static double amount(JsonMember member, String name) {
		double amount = member.number(name, 0);
		if (!(amount >= 0 && amount <= 1e18)) {
			throw member.wrong("%s is %s; it must be between 0 and 1e18".formatted(name, amount));
		}
		return amount;
	}

	/**
	 * Returns what {@link #read} reads.
	 * @return members by name
	 */
	public Map<String, Object> toMap() {
		Map<String, Object> root = new LinkedHashMap<>();
		root.put("format", FORMAT);
		root.put("version", VERSION);
		root.put("service", this.service);
		root.put("instance", this.instance);
		root.put("process", this.process);
		root.put("host", this.host);
		root.put("zone", this.zone);
		root.put("processors", this.processors);
		root.put("hostMemoryMiB", this.hostMemoryMib);
		root.put("uptimeSeconds", this.uptimeSeconds);
		root.put("cpuSeconds", this.cpuSeconds);
		root.put("memoryMiB", this.memoryMib);
		if (!this.memory.equals(ProcessMemory.UNKNOWN)) {
			Map<String, Object> memory = new LinkedHashMap<>();
			memory.put("heapLimitMiB", this.memory.heapLimitMib());
			memory.put("heapLimitChosen", this.memory.heapLimitChosen());
			memory.put("nonHeapMiB", this.memory.nonHeapMib());
			memory.put("containerLimitMiB", this.memory.containerLimitMib());
			memory.put("peakMiB", this.memory.peakMib());
			root.put("memory", memory);
		}
		root.put("incomingCalls", this.incomingCalls);
		root.put("incomingSeconds", this.incomingSeconds);
		List<Map<String, Object>> outgoing = new ArrayList<>();
		for (Outgoing one : this.outgoing) {
			Map<String, Object> member = new LinkedHashMap<>();
			member.put("target", one.target());
			member.put("address", one.address());
			member.put("instance", one.instance());
			member.put("path", one.path());
			member.put("calls", one.calls());
			Double bytes = one.bytes();
			if (bytes != null) {
				member.put("bytes", bytes);
			}
			Outgoing.Cost cost = one.cost();
			if (cost != null) {
				Map<String, Object> line = new LinkedHashMap<>();
				line.put("fixedNanos", cost.fixedNanos());
				line.put("nanosPerByte", cost.nanosPerByte());
				Double cpu = cost.callerCpuNanos();
				if (cpu != null) {
					line.put("callerCpuNanos", cpu);
				}
				member.put("cost", line);
			}
			outgoing.add(member);
		}
		root.put("outgoing", outgoing);
		return root;
	}

}
