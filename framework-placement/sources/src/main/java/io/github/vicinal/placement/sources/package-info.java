/**
 * Sources of observed traffic: meters of this application, other instances, Prometheus,
 * Zipkin, docker-compose files, packet captures.
 * <p>
 * A <em>reporter</em> is an instance or a query that counted. A <em>side</em> says on
 * which end of an edge it counted; where both ends did, a call is counted once. A
 * <em>window</em> is the time that counts are divided by; older counts fade with a half
 * life. Its <em>time base</em> is what was counted since its first report; what a
 * reporter counted before is <em>prior</em>. Everything read here was written by somebody
 * else, so each reader has limits and names the file and line or the address in its
 * errors. Nothing is guessed: what is missing is a sentence in
 * {@link io.github.vicinal.placement.source.Traffic#notSeen()}.
 */
@NullMarked
package io.github.vicinal.placement.sources;

import org.jspecify.annotations.NullMarked;
