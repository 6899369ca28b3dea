/** Code that the services share: the key of tokens. */
@NullMarked
package io.github.vicinal.samples.clinic.common;

import org.jspecify.annotations.NullMarked;
