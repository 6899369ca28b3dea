package io.github.vicinal.boot.placement;

import io.github.vicinal.boot.autoconfigure.RemedyFailureAnalyzer;

/** Explains mistakes in the configuration of placement. */
final class InvalidPlacementFailureAnalyzer extends RemedyFailureAnalyzer<InvalidPlacementException> {

	InvalidPlacementFailureAnalyzer() {
		super(InvalidPlacementException::action);
	}

}
