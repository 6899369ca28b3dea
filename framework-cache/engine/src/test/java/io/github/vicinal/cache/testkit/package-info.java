/**
 * Checks for replacement policies of one's own, published as the test jar of this module.
 */
@NullMarked
package io.github.vicinal.cache.testkit;

import org.jspecify.annotations.NullMarked;
