/**
 * The goals {@code copackage:check} and {@code copackage:build}. What they find out and
 * write is the work of {@code vicinal-copackage}; here are the sources that only a build
 * has: modules, artifacts of repositories, and the effective tree of a pom.
 */
@NullMarked
package io.github.vicinal.copackage.maven;

import org.jspecify.annotations.NullMarked;
