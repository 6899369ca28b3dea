package io.github.vicinal.testkit;

import org.jspecify.annotations.Nullable;

/**
 * One call that left a proxy of {@link KitEnvironment#onPath}, and how it travelled.
 *
 * @param contract name of the contract interface that was called
 * @param path name of the path that carried the call to its end, for example
 * {@code direct}, {@code uds} or {@code http}
 * @param reason why no better path was taken; needed whenever {@code path} is not the
 * expected one
 * @since 0.1.0
 */
public record CarriedCall(String contract, String path, @Nullable String reason) {

}
