/**
 * Finds out which applications may share a JVM or a container, and lays them out.
 * <p>
 * An <em>inventory</em> is what the files of one application say: its jar, its pom, its
 * bill of materials, its Dockerfile. A <em>finding</em> is one reason why two
 * applications may not come closer than it says, and what would lift it. A
 * <em>verdict</em> is how close they may come. The <em>layout</em> is the directory that
 * {@link io.github.vicinal.launcher.Launcher} runs.
 * <p>
 * The verdict of Algorithm 1 of the paper on merging containers, which refuses any
 * difference of versions, is given beside ours.
 */
@NullMarked
package io.github.vicinal.copackage;

import org.jspecify.annotations.NullMarked;
