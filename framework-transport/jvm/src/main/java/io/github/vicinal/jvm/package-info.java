/**
 * Where the applications of one JVM find each other.
 * <p>
 * Applications that were packaged one by one and run in one JVM each have a class loader
 * of their own, and therefore classes of their own, Vicinal's included. This package is
 * what they have in common: a loader that is the parent of all of them has it, and
 * nothing else needs to be there. So it knows only types of the JDK, and what crosses it
 * is bytes.
 * <p>
 * A <em>neighbour</em> is another application of this JVM. Applications with one class
 * loader recognise each other by their classes, and hand values over as they are; all
 * others exchange the frames that would have gone through a socket.
 */
@NullMarked
package io.github.vicinal.jvm;

import org.jspecify.annotations.NullMarked;
