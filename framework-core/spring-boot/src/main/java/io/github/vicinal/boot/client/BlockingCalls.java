package io.github.vicinal.boot.client;

import org.jspecify.annotations.Nullable;

/** Makes calls whose caller waits, on its thread. */
final class BlockingCalls {

	private BlockingCalls() {
	}

	static @Nullable Object make(ClientCall call) throws Throwable {
		Object result;
		Throwable failure;
		do {
			result = null;
			failure = null;
			try {
				result = attempt(call);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		while (call.goesOn(failure));
		if (failure != null) {
			throw failure;
		}
		return result;
	}

	private static @Nullable Object attempt(ClientCall call) throws Throwable {
		if (!call.route(null, null)) {
			return overHttp(call, call.overHttp());
		}
		Attempt attempt = call.attempt();
		return (attempt instanceof Attempt.Answered answered) ? answered.result() : overHttp(call, call.next(attempt));
	}

	private static @Nullable Object overHttp(ClientCall call, HttpLeg leg) throws Throwable {
		Object result;
		try {
			result = call.run(leg);
		}
		catch (Throwable ex) {
			leg.end(ex);
			throw ex;
		}
		leg.end(null);
		return result;
	}

}
