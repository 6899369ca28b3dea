/**
 * AIC, the policy that chooses among policies.
 * <p>
 * Each candidate is simulated by a {@link io.github.vicinal.cache.aic.GhostCache} on a
 * sample of the keys, chosen by their hash. The simulations see what each candidate would
 * have done with every sampled access, whichever policy is in use, and a
 * {@link io.github.vicinal.cache.aic.CounterfactualRule} decides by them.
 */
@NullMarked
package io.github.vicinal.cache.aic;

import org.jspecify.annotations.NullMarked;
