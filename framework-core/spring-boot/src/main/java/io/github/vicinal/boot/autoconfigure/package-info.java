/**
 * Auto-configuration: one class for each thing that may be there or not, and the
 * properties under {@code vicinal.*}.
 */
@NullMarked
package io.github.vicinal.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
