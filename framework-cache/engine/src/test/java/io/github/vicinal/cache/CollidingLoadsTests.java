package io.github.vicinal.cache;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Many loads at once, of keys whose hashes were chosen to be hard to distinguish. */
@Timeout(60)
class CollidingLoadsTests {

	private static final int LOADS = 10_000;

	/** A key that counts how often it is compared. */
	private static final class Key {

		private static long comparisons;

		private final int hash;

		Key(int hash) {
			this.hash = hash;
		}

		@Override
		public boolean equals(Object other) {
			comparisons++;
			return other instanceof Key key && key.hash == this.hash;
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

	/** Hashes that, multiplied by a constant, have the same upper bits. */
	static List<IntUnaryOperator> hashes() {
		int inverse = BigInteger.valueOf(0x9E3779B9L).modInverse(BigInteger.ONE.shiftLeft(Integer.SIZE)).intValue();
		return List.of((i) -> i * inverse, (i) -> i << 16, (i) -> i);
	}

	@ParameterizedTest
	@MethodSource("hashes")
	void loadsUnderWayAreNotComparedWithEachOther(IntUnaryOperator hashes) {
		Cache<Key, Integer> cache = Variants.<Key, Integer>builder(CachePolicy.LRU).build();
		Key.comparisons = 0;
		List<CompletableFuture<Integer>> sources = new ArrayList<>();
		List<CompletableFuture<Integer>> results = new ArrayList<>();
		for (int i = 0; i < LOADS; i++) {
			CompletableFuture<Integer> source = new CompletableFuture<>();
			sources.add(source);
			results.add(cache.getAsync(new Key(hashes.applyAsInt(i)), (key) -> source));
		}
		for (int i = 0; i < LOADS; i++) {
			sources.get(i).complete(i);
			assertThat(results.get(i)).isCompletedWithValue(i);
		}
		assertThat(Key.comparisons).isLessThan(10 * LOADS);
	}

	@ParameterizedTest
	@MethodSource("hashes")
	void theirPlacesCannotBeChosen(IntUnaryOperator hashes) {
		// One cache in some hundred may by chance be unlucky with some keys, not all.
		assertThat(IntStream.range(0, 5).map((cache) -> crowd(hashes)).min().orElseThrow()).isLessThan(LOADS / 20);
	}

	/** Returns how many loads there are in the fullest place. */
	private static int crowd(IntUnaryOperator hashes) {
		Flights<Integer, Integer> flights = new Flights<>("test");
		int[] counts = new int[256];
		for (int i = 0; i < LOADS; i++) {
			counts[flights.place(hashes.applyAsInt(i))]++;
		}
		return Arrays.stream(counts).max().orElseThrow();
	}

}
