/**
 * Auto-configuration of the paths within one host and of topics over shared memory, and
 * the properties {@code vicinal.shm.*} and {@code vicinal.uds.*}.
 */
@NullMarked
package io.github.vicinal.boot.transport;

import org.jspecify.annotations.NullMarked;
