/** What the tests of all local paths share. */
package io.github.vicinal.transport.testing;
