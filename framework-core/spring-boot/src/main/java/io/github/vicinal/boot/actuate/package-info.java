/** The actuator endpoint that shows channels, paths, and why they are what they are. */
@NullMarked
package io.github.vicinal.boot.actuate;

import org.jspecify.annotations.NullMarked;
