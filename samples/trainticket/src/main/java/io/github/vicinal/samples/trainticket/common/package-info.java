/**
 * Shared parts of the sample's services that are not in any contract: the annotation that
 * makes a configuration class a service, its defaults, and the transport of problems from
 * a called service to the caller's caller.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.common;

import org.jspecify.annotations.NullMarked;
