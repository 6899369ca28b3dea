package io.github.vicinal.placement.sources;

import org.jspecify.annotations.Nullable;

/**
 * Cost of calls by one kind of path, measured by callers: the mean of all pairs of
 * instances that use it, weighted by their calls.
 *
 * @param path the path
 * @param sameHost whether caller and called run on one host
 * @param calls calls that the figures rest on
 * @param latencyMicros time of a call, less the time that the called took to serve it, in
 * us
 * @param servedMicros the time that the called took, in us
 * @param callerCpuMicros CPU time of the caller alone, in us, {@code null} if no caller
 * measured it
 * @since 0.1.0
 */
public record MeasuredPath(String path, boolean sameHost, double calls, double latencyMicros, double servedMicros,
		@Nullable Double callerCpuMicros) {
}
