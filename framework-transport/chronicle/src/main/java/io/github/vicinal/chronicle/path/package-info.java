/**
 * The path {@code chronicle}: calls between two processes of one user on one host that
 * travel through Chronicle Queues, for applications that ask for it.
 * <p>
 * A <em>pair</em> of client and server is a directory with two queues, one for requests
 * and one for replies, each with one writer and one reader. The two processes also keep a
 * Unix domain socket open: the kernel says on it who the other side is, a byte on it
 * wakes a reader that sleeps, and its end says that the other side is gone.
 * <ul>
 * <li>A <em>piece</em> is what one record of a queue holds: a frame, or a part of a long
 * one. The pieces of a frame follow each other.</li>
 * <li>A <em>cycle</em> is the number of a file of a queue. The writer begins a new file
 * by size, and the reader deletes each file that it has read.</li>
 * </ul>
 */
@NullMarked
package io.github.vicinal.chronicle.path;

import org.jspecify.annotations.NullMarked;
