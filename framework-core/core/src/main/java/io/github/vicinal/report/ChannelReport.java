package io.github.vicinal.report;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.vicinal.replica.ReplicaReport;
import org.jspecify.annotations.Nullable;

/**
 * The state of a channel, for people.
 *
 * @param name the channel's name
 * @param contract the contract's class name
 * @param contractHash the contract's hash on this side
 * @param timeoutMillis the deadline of calls in milliseconds, or {@code null}
 * @param methodsByHttp methods that only HTTP can carry, and why
 * @param leftToHttp why calls went over HTTP although a better path was open, and how
 * many
 * @param cachedMethods methods whose answers are cached
 * @param peers the peers that were seen
 * @param replicas the replicas among which the channel chooses, nearest first; empty if
 * it does not choose
 * @since 0.1.0
 */
public record ChannelReport(String name, String contract, String contractHash, @Nullable Long timeoutMillis,
		List<MethodByHttp> methodsByHttp, Map<String, Long> leftToHttp, List<CachedMethod> cachedMethods,
		List<PeerReport> peers, List<ReplicaReport> replicas) {

	/**
	 * Returns this report with methods whose answers are cached.
	 * @param methods the methods
	 * @return another report
	 */
	public ChannelReport withCachedMethods(List<CachedMethod> methods) {
		return new ChannelReport(this.name, this.contract, this.contractHash, this.timeoutMillis, this.methodsByHttp,
				this.leftToHttp, List.copyOf(methods), this.peers, this.replicas);
	}

	/**
	 * Returns this report with the replicas among which the channel chooses.
	 * @param chosenAmong the replicas
	 * @return another report
	 */
	public ChannelReport withReplicas(List<ReplicaReport> chosenAmong) {
		return new ChannelReport(this.name, this.contract, this.contractHash, this.timeoutMillis, this.methodsByHttp,
				this.leftToHttp, this.cachedMethods, this.peers, List.copyOf(chosenAmong));
	}

	/**
	 * A method whose answers are cached.
	 *
	 * @param method its signature
	 * @param cache the name of the cache
	 * @param policy the replacement policy
	 * @param values how callers are kept from seeing each other's changes
	 * @param hits calls that were answered from the cache
	 * @param misses calls that were made, or joined one that was under way
	 * @param size entries of the cache
	 * @since 0.1.0
	 */
	public record CachedMethod(String method, String cache, String policy, String values, long hits, long misses,
			long size) {
	}

	/**
	 * A method that only HTTP can carry.
	 *
	 * @param method its signature
	 * @param reason why
	 * @since 0.1.0
	 */
	public record MethodByHttp(String method, String reason) {
	}

	/**
	 * One peer.
	 *
	 * @param address where HTTP reaches it, {@code host:port}
	 * @param instanceId what the peer calls itself, or {@code null} if it has not said
	 * @param path the path that the next call takes
	 * @param reason why it is this path
	 * @param codec the codec of that path and why it is that one, or {@code null}
	 * @param paths all paths of the channel
	 * @param decisions the latest decisions between paths, oldest first
	 * @since 0.1.0
	 */
	public record PeerReport(String address, @Nullable String instanceId, String path, String reason,
			@Nullable CodecReport codec, List<PathReport> paths, List<PathDecision> decisions) {
	}

	/**
	 * A decision to take another path, with the numbers behind it. Costs are times of
	 * calls without the time at the server.
	 *
	 * @param time when
	 * @param from the path before
	 * @param to the path after
	 * @param calls which calls moved: all, or those of some sizes
	 * @param why what led to it
	 * @param costFromMicros what a call by {@code from} cost, in microseconds, or
	 * {@code null} if unknown
	 * @param costToMicros what a call by {@code to} cost, or {@code null} if unknown
	 * @param gainMicros the difference of the costs, 0 if unknown
	 * @param pairs the pairs of calls that were compared before
	 * @since 0.1.0
	 */
	public record PathDecision(Instant time, String from, String to, String calls, String why,
			@Nullable Double costFromMicros, @Nullable Double costToMicros, double gainMicros, long pairs) {

		@Override
		public String toString() {
			return "%s %s -> %s, %s: %s".formatted(this.time, this.from, this.to, this.calls, this.why);
		}

	}

	/**
	 * The codec of a path.
	 *
	 * @param name its name
	 * @param reason why it is that one
	 * @since 0.1.0
	 */
	public record CodecReport(String name, String reason) {
	}

	/**
	 * One path to a peer.
	 *
	 * @param path its name
	 * @param state {@code in use}, {@code standby}, {@code late} (calls over it do not
	 * come back), {@code on trial} (it failed, and has to stay open for a while),
	 * {@code connecting} or {@code unavailable}
	 * @param reason why it is not in use, empty if it is
	 * @param calls calls made
	 * @param errors calls that ended without an answer
	 * @param p50Micros median latency in microseconds, of the sampled calls
	 * @param p99Micros 99th percentile of the latency in microseconds
	 * @param bytes bytes of calls and replies, 0 where nothing is serialised or counted
	 * @param cost what a call over it costs, or {@code null} while nothing is known
	 * @param details what only this kind of path has to say, such as how it waits
	 * @since 0.1.0
	 */
	public record PathReport(String path, String state, String reason, long calls, long errors, double p50Micros,
			double p99Micros, long bytes, @Nullable CostReport cost, Map<String, Object> details) {
	}

	/**
	 * Cost of a call over a path: {@code fixedMicros + nanosPerByte * bytes / 1000}.
	 *
	 * @param fixedMicros microseconds apart from the bytes and from the time at the
	 * server
	 * @param nanosPerByte nanoseconds for each byte of call and reply, 0 while calls of
	 * different sizes have not shown it
	 * @param peakMicros peak-sensitive moving average (rises immediately, decays slowly),
	 * in microseconds
	 * @param cpuMicros the caller's CPU time, of one call in some hundred, or
	 * {@code null}
	 * @since 0.1.0
	 */
	public record CostReport(double fixedMicros, double nanosPerByte, double peakMicros, @Nullable Double cpuMicros) {
	}

}
