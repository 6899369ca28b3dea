/**
 * The contracts that the compatibility kit calls: ordinary {@code @HttpExchange}
 * interfaces and the types of their arguments and results, chosen for what tends to break
 * when a call stops going through JSON and a socket.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.testkit.contract;

import org.jspecify.annotations.NullMarked;
