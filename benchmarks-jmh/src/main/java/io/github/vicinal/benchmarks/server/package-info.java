/**
 * The request server: at which rate it saturates, and what it answers when more comes.
 */
@NullMarked
package io.github.vicinal.benchmarks.server;

import org.jspecify.annotations.NullMarked;
