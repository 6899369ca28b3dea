package io.github.vicinal.copackage.maven;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

import io.github.vicinal.copackage.Inventory;
import io.github.vicinal.copackage.Verdict;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Reports how close applications may come, and fails the build if that is not close
 * enough.
 *
 * @since 0.1.0
 */
@Mojo(name = "check", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class CheckMojo extends AbstractCopackageMojo {

	/**
	 * The farthest verdict that passes: {@code shared}, {@code hoisted},
	 * {@code isolated}, {@code same-container}, or {@code forbidden} to only report.
	 */
	@Parameter(property = "copackage.atMost", defaultValue = "isolated")
	private String atMost = "isolated";

	/** Creates the goal; Maven does. */
	public CheckMojo() {
	}

	@Override
	void run(List<Inventory> inventories) throws IOException, MojoExecutionException, MojoFailureException {
		Verdict limit = verdict(this.atMost);
		check(inventories, (pair) -> pair.verdict().compareTo(limit) <= 0);
	}

	private static Verdict verdict(String text) throws MojoExecutionException {
		try {
			return Verdict.valueOf(text.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
		}
		catch (IllegalArgumentException ex) {
			throw new MojoExecutionException("<atMost> is '%s'; it is one of %s".formatted(text,
					List.of(Verdict.values()).toString().toLowerCase(Locale.ROOT).replace('_', '-')));
		}
	}

}
