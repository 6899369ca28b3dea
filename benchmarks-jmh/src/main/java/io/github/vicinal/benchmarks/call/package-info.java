/** Single typed calls, over each path, against RestClient with JSON. */
@NullMarked
package io.github.vicinal.benchmarks.call;

import org.jspecify.annotations.NullMarked;
