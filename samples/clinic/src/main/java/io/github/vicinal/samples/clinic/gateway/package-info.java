/** The gateway in front of all. */
@NullMarked
package io.github.vicinal.samples.clinic.gateway;

import org.jspecify.annotations.NullMarked;
