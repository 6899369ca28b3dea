/**
 * The bench driver: runs the services in one mode after the other, each as child JVMs,
 * under the same load, and compares time, CPU, memory and answers.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.bench;

import org.jspecify.annotations.NullMarked;
