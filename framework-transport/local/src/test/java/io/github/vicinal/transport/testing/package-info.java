/** Shared parts of the tests of all local paths. */
package io.github.vicinal.transport.testing;
