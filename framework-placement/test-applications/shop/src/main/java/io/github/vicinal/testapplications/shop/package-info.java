/** An application that calls another one. */
package io.github.vicinal.testapplications.shop;
