/** An application with a security chain and filters of its own. */
package io.github.vicinal.testapplications.guard;
