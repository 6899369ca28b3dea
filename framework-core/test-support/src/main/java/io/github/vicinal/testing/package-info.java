/**
 * Shared parts of the tests of all modules.
 */
@NullMarked
package io.github.vicinal.testing;

import org.jspecify.annotations.NullMarked;
