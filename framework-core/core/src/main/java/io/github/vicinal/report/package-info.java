/**
 * The state of channels for people: values that endpoints and logs show.
 */
@NullMarked
package io.github.vicinal.report;

import org.jspecify.annotations.NullMarked;
