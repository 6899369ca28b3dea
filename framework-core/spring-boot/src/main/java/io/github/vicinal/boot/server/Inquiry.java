package io.github.vicinal.boot.server;

import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.ContractInquiry;
import org.jspecify.annotations.Nullable;

/**
 * A client's question for a contract, which came with one of its HTTP requests.
 *
 * @param asked what the client asks for, as {@link ContractInquiry} writes it
 * @param facts the client's connection, or {@code null} if it cannot be kept
 * @param refusal why this client's calls must come by HTTP, or empty
 * @param watch what happens to the request on its way
 */
record Inquiry(String asked, @Nullable ConnectionFacts facts, String refusal, RequestWatch watch) {

	static final String ATTRIBUTE = Inquiry.class.getName();

	/** Returns the name of the contract. */
	String contract() {
		return ContractInquiry.parse(this.asked).contract();
	}

	/** Returns the structure of the client's methods, or {@code null}. */
	ContractInquiry.@Nullable Structure structure() {
		return ContractInquiry.parse(this.asked).structure();
	}

	/** Returns whether the client asks for exchanges, which any handler takes. */
	boolean ofExchanges() {
		return contract().equals(HttpExchanges.contract().name());
	}

	/** Returns whether the connection must end with the answer. */
	boolean confirms() {
		return ContractInquiry.parse(this.asked).confirms();
	}

}
