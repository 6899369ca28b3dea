package io.github.vicinal.channel;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * Estimates the number of bytes that a call will carry: the bytes visible in its
 * arguments, plus the mean excess of earlier calls of the same method. Thread-safe: the
 * means are plain words, and an update that another thread overwrites is lost, so a mean
 * follows a little later.
 */
final class CallSizes {

	/**
	 * Binary logarithm of the weight of the mean: each sample changes it by 1/16 of the
	 * difference.
	 */
	private static final int WEIGHT_SHIFT = 4;

	private final int[] beyond;

	CallSizes(int methods) {
		this.beyond = new int[methods];
	}

	/**
	 * Returns the number of bytes that a call is expected to carry, request and reply.
	 */
	long expected(int method, @Nullable Object[] arguments) {
		return visible(arguments) + this.beyond[method];
	}

	/** Learns from a call that was answered. */
	void carried(int method, @Nullable Object[] arguments, long bytes) {
		int known = this.beyond[method];
		long sample = Math.max(0, bytes - visible(arguments));
		long next = (known == 0) ? sample : known + ((sample - known) >> WEIGHT_SHIFT);
		this.beyond[method] = (int) Math.min(next, Integer.MAX_VALUE);
	}

	private static long visible(@Nullable Object[] arguments) {
		long sum = 0;
		for (Object argument : arguments) {
			if (argument instanceof byte[] bytes) {
				sum += bytes.length;
			}
			else if (argument instanceof String text) {
				sum += text.length();
			}
			else if (argument instanceof ByteBuffer buffer) {
				sum += buffer.remaining();
			}
		}
		return sum;
	}

}
