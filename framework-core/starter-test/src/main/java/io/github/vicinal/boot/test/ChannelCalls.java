package io.github.vicinal.boot.test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

/**
 * The latest calls of all channels, with the path that each took. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ChannelCalls implements ChannelListener {

	/** Maximum number of calls that are kept; of more, the oldest ones are dropped. */
	public static final int MAX_CALLS = 10_000;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Deque<Call> calls = new ArrayDeque<>();

	ChannelCalls() {
	}

	/**
	 * A call.
	 *
	 * @param channel the name of the channel
	 * @param method the name of the method
	 * @param path the id of the path: {@code direct}, {@code shm}, {@code uds} or
	 * {@code http}, which is also said of calls that became HTTP exchanges
	 * @param reason why no typed path carried the call, or {@code null} if one did
	 * @since 0.1.0
	 */
	public record Call(String channel, String method, String path, @Nullable String reason) {
	}

	@Override
	public synchronized void calling(Channel channel, ContractMethod method, PathKind path, @Nullable String reason) {
		if (this.calls.size() >= MAX_CALLS) {
			this.calls.removeFirst();
		}
		this.calls.add(new Call(channel.settings().name(), method.method().getName(), path.id(), reason));
	}

	/**
	 * Returns the calls of all channels.
	 * @return calls, the latest one last
	 */
	public synchronized List<Call> all() {
		return List.copyOf(this.calls);
	}

	/**
	 * Returns the calls of a channel.
	 * @param channel the name of the channel
	 * @return calls, the latest one last
	 */
	public List<Call> of(String channel) {
		return all().stream().filter((call) -> call.channel().equals(channel)).toList();
	}

	/** Forgets all calls. */
	public synchronized void clear() {
		this.calls.clear();
	}

	/**
	 * Makes a call again and again until it takes a path, since the first call always
	 * goes over HTTP and paths are connected in the background.
	 * @param channel the name of the channel
	 * @param path the id of the path
	 * @param call makes one call of the channel
	 * @throws AssertionError if no call takes the path within ten seconds; the message
	 * says which one the last call took, and why
	 */
	public void connect(String channel, String path, Runnable call) {
		connect(channel, path, PATIENCE, call);
	}

	/**
	 * Makes a call again and again until it takes a path.
	 * @param channel the name of the channel
	 * @param path the id of the path
	 * @param limit how long to try
	 * @param call makes one call of the channel
	 * @throws AssertionError if no call takes the path in that time; the message says
	 * which one the last call took, and why
	 */
	public void connect(String channel, String path, Duration limit, Runnable call) {
		long end = System.nanoTime() + limit.toNanos();
		Call last;
		do {
			call.run();
			List<Call> made = of(channel);
			if (made.isEmpty()) {
				throw new AssertionError(
						"No channel '%s' was called; calls went to %s. Name the channel as /actuator/vicinalchannels does"
							.formatted(channel, all().stream().map(Call::channel).distinct().toList()));
			}
			last = made.get(made.size() - 1);
		}
		while (!last.path().equals(path) && System.nanoTime() - end < 0);
		if (!last.path().equals(path)) {
			throw new AssertionError("Calls of channel '%s' take the path %s instead of %s: %s".formatted(channel,
					last.path(), path, (last.reason() != null) ? last.reason() : "it is in use"));
		}
	}

}
