/** An application that another one calls. */
package io.github.vicinal.testapplications.stock;
