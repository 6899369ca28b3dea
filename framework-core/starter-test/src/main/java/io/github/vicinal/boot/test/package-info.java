/**
 * Tests of applications that use Vicinal.
 * <p>
 * A <em>slice</em> is an application context with only what one kind of test needs.
 * {@link io.github.vicinal.boot.test.ChannelTest @ChannelTest} is the slice for clients:
 * their groups of HTTP interfaces and their channels.
 * {@link io.github.vicinal.boot.test.StubServer} answers them over every path, and
 * {@link io.github.vicinal.boot.test.ChannelCalls} says which path calls took, and why.
 */
@NullMarked
package io.github.vicinal.boot.test;

import org.jspecify.annotations.NullMarked;
