/**
 * Topics against brokers and other shared memory: throughput, one-way latency, CPU,
 * losses.
 */
@NullMarked
package io.github.vicinal.benchmarks.topic;

import org.jspecify.annotations.NullMarked;
