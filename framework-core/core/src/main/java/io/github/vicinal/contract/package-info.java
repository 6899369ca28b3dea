/**
 * Contracts: the Java interfaces that a client and a server share.
 * <p>
 * A {@linkplain io.github.vicinal.contract.Contract contract} is a Java interface whose
 * methods can be called on a peer. Its <em>hash</em> covers the signatures of its methods
 * and the shape of every type that can travel through them (their <em>closure</em>): two
 * sides with the same hash agree on what a call looks like. Which methods of an interface
 * belong to the contract is decided by a
 * {@link io.github.vicinal.contract.ContractReader}, so that this package knows no web
 * framework.
 */
@NullMarked
package io.github.vicinal.contract;

import org.jspecify.annotations.NullMarked;
