/**
 * Named values that other services read at run time. Each seat query asks for one.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.config;

import org.jspecify.annotations.NullMarked;
