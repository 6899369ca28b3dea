package io.github.vicinal.boot.server;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.server.HttpRequiredException;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that name the {@link ConnectionFacts} of clients. A client gets its ticket with
 * the answer to an HTTP request that the application let pass, and shows it with each
 * typed call, so that nothing about a connection is taken from the caller's word. Equal
 * facts have one ticket. Thread-safe.
 */
final class ConnectionTickets {

	/** Maximum number of tickets. The oldest is forgotten; its owner gets a new one. */
	static final int MAX_TICKETS = 4096;

	private static final int TICKET_BYTES = 8;

	private final SecureRandom random = new SecureRandom();

	private final Map<String, ConnectionFacts> byTicket = new ConcurrentHashMap<>();

	private final Map<ConnectionFacts, String> byFacts = new LinkedHashMap<>();

	/** Returns the ticket of a client's connection. */
	synchronized String ticket(ConnectionFacts facts) {
		String known = this.byFacts.get(facts);
		if (known != null) {
			return known;
		}
		if (this.byFacts.size() >= MAX_TICKETS) {
			ConnectionFacts oldest = this.byFacts.keySet().iterator().next();
			String forgotten = this.byFacts.remove(oldest);
			if (forgotten != null) {
				this.byTicket.remove(forgotten);
			}
		}
		byte[] bytes = new byte[TICKET_BYTES];
		this.random.nextBytes(bytes);
		String ticket = HexFormat.of().formatHex(bytes);
		this.byFacts.put(facts, ticket);
		this.byTicket.put(ticket, facts);
		return ticket;
	}

	/**
	 * Learns how a client's requests are framed.
	 * @param ticket the client's ticket
	 * @param request one of its requests
	 * @param body whether the request is for a handler that takes a body
	 */
	void learn(String ticket, ConnectionFacts request, boolean body) {
		ConnectionFacts kept = facts(ticket);
		if (kept != null) {
			kept.framing().learn(request.framing(), body);
		}
	}

	/** Returns what a ticket names, or {@code null} if it is not known (any more). */
	@Nullable ConnectionFacts facts(@Nullable String ticket) {
		return (ticket != null) ? this.byTicket.get(ticket) : null;
	}

	/**
	 * Returns what a ticket names.
	 * @throws HttpRequiredException if it is not known: nothing about a connection is
	 * taken from the client's word
	 */
	ConnectionFacts required(@Nullable String ticket) {
		ConnectionFacts known = facts(ticket);
		if (known == null) {
			throw new HttpRequiredException("this instance has not seen an HTTP request of the client yet");
		}
		return known;
	}

}
