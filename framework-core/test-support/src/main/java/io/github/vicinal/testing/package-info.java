/**
 * What the tests of all modules share.
 */
@NullMarked
package io.github.vicinal.testing;

import org.jspecify.annotations.NullMarked;
