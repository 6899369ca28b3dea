/**
 * Registry in which the applications of one JVM find each other.
 * <p>
 * Applications that were packaged one by one and run in one JVM each have a class loader
 * of their own, and therefore classes of their own, Vicinal's included. They share this
 * package only: the parent loader of all of them has it, and needs nothing else. So it
 * uses only types of the JDK, and only bytes cross it.
 * <p>
 * A <em>neighbour</em> is another application of this JVM. Applications with one class
 * loader recognise each other by their classes, and hand values over as they are; all
 * others exchange the frames that would have gone through a socket.
 */
@NullMarked
package io.github.vicinal.jvm;

import org.jspecify.annotations.NullMarked;
