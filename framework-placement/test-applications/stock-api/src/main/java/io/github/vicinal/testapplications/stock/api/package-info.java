/** Contracts that the stock offers to other applications. */
package io.github.vicinal.testapplications.stock.api;
