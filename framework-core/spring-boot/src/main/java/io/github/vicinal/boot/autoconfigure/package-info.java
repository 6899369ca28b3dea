/**
 * Auto-configuration of what all features share, and the properties under
 * {@code vicinal.*}. Each feature has its auto-configuration in its own package.
 */
@NullMarked
package io.github.vicinal.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
