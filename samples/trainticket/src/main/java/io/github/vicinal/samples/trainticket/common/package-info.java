/**
 * What all services of the sample share and that is not part of any contract: the
 * annotation that makes a configuration class a service, its defaults, and how problems
 * travel from a called service to the caller's caller.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.common;

import org.jspecify.annotations.NullMarked;
