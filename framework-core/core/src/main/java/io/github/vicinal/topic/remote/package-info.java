/**
 * Topics between hosts: what carries them, and which are carried.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.topic.remote;

import org.jspecify.annotations.NullMarked;
