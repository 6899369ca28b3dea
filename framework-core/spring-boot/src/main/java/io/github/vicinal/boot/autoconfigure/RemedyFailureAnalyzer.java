package io.github.vicinal.boot.autoconfigure;

import java.util.function.Function;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an exception whose message says what is wrong: adds what to do about it.
 *
 * @param <T> the type of the exception
 * @since 0.1.0
 */
public abstract class RemedyFailureAnalyzer<T extends Throwable> extends AbstractFailureAnalyzer<T> {

	private final Function<T, String> remedy;

	/**
	 * Creates the analyzer.
	 * @param remedy returns what to do about an exception
	 */
	protected RemedyFailureAnalyzer(Function<T, String> remedy) {
		this.remedy = remedy;
	}

	@Override
	protected final FailureAnalysis analyze(Throwable rootFailure, T cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), this.remedy.apply(cause), cause);
	}

}
