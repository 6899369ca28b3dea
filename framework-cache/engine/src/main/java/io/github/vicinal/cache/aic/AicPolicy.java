package io.github.vicinal.cache.aic;

import java.util.Arrays;
import java.util.List;

import io.github.vicinal.cache.policy.FrequencySketch;
import io.github.vicinal.cache.policy.Policies;
import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the policy in use among candidates. It samples keys such that a ghost of
 * {@value #GHOST} entries represents the cache; smaller caches are simulated as a whole.
 * A switch keeps all entries. The new policy takes them over from the old one, the
 * hottest first, {@value #SLICE} with each access; meanwhile each entry belongs to one of
 * the two.
 * <p>
 * Sources: V. Solovyev, A. Prokofyev, R. Chesov, Containerized microservice architecture
 * performance increasing by using a cache subsystem and multithreaded application server,
 * section "cache subsystem" (AIC); C. Waldspurger, T. Saemundsson, I. Ahmad, N. Park,
 * Cache modeling and optimization using miniature simulations (2017), sections 3 and 4.
 *
 * @since 0.1.0
 */
public final class AicPolicy implements ReplacementPolicy {

	/** Entries of a ghost. */
	static final int GHOST = 256;

	/** Entries of the ghosts that simulate other sizes. */
	static final int SIZE_GHOST = 32;

	/** Entries that change over with each access while a switch goes on. */
	static final int SLICE = 32;

	private static final int SAMPLE_BITS = 30;

	/** Uses per entry after which counts are halved. */
	private static final double SAMPLE_FACTOR = 20;

	private static final double[] SIZE_FACTORS = { 0.5, 2, 4 };

	private static final double RECENT = 1.0 / 4096;

	/**
	 * A policy to choose from.
	 *
	 * @param name its name
	 * @param needsCounts whether it is made from a sketch
	 * @param windowPart if it needs counts, the window's part
	 * @param factory if it needs none, makes it
	 */
	private record Candidate(String name, boolean needsCounts, double windowPart, @Nullable PolicyFactory factory) {

		Candidate(String name, PolicyFactory factory) {
			this(name, false, 0, factory);
		}

		Candidate(int windowPercent) {
			this("W_TINY_LFU(" + windowPercent + ")", true, windowPercent / 100.0, null);
		}

		PolicyFactory factory(FrequencySketch sketch) {
			return (this.factory != null) ? this.factory : Policies.windowTinyLfu(this.windowPart, sketch);
		}

	}

	private static final List<Candidate> CANDIDATES = List.of(new Candidate(1), new Candidate(20), new Candidate(60),
			new Candidate("LRU", Policies.LRU), new Candidate("S3_FIFO", Policies.S3_FIFO_BOUNDED),
			new Candidate("LIRS", Policies.LIRS));

	private final Slots slots;

	private int capacity;

	private final FrequencySketch sketch;

	private final FrequencySketch ghostSketch;

	private final GhostCache[] ghosts = new GhostCache[CANDIDATES.size()];

	private final CounterfactualRule rule;

	/** Ghosts of the policy in use at other sizes, made anew when it changes. */
	private GhostCache[] sizeGhosts;

	private final double[] sizeRates = new double[SIZE_FACTORS.length];

	private final long[] sizeCalls = new long[SIZE_FACTORS.length];

	/** The candidates before this one are made from a sketch. */
	private final int counting = (int) CANDIDATES.stream().takeWhile(Candidate::needsCounts).count();

	/** Sampled accesses that the ghosts have not seen, and which of them were hits. */
	private final int[] waitingHashes = new int[CounterfactualRule.BATCH];

	private final long[] outcomes = new long[CANDIDATES.size()];

	private int waiting;

	private long waitingHits;

	private long waitingForSizes;

	/** Keys are sampled whose mixed hash is below. */
	private int threshold;

	private int sizeThreshold;

	private ReplacementPolicy active;

	/** The policy before, as long as it has entries. */
	private @Nullable ReplacementPolicy leaving;

	/** Number of entries that it still has. */
	private int left;

	private int entries;

	/** A bit for each slot: whether the policy in use has it. Null if it has all. */
	private long @Nullable [] moved;

	/**
	 * Creates the policy.
	 * @param slots the entries
	 * @param capacity how many will be kept
	 */
	@SuppressWarnings("NullAway.Init")
	public AicPolicy(Slots slots, int capacity) {
		this.slots = slots;
		this.capacity = capacity;
		this.sketch = new FrequencySketch(capacity, SAMPLE_FACTOR);
		this.threshold = threshold(GHOST);
		int ghost = ghostSize(GHOST);
		this.ghostSketch = new FrequencySketch(ghost, SAMPLE_FACTOR, FrequencySketch.wordsPerEntry(capacity));
		for (int i = 0; i < this.ghosts.length; i++) {
			this.ghosts[i] = new GhostCache(CANDIDATES.get(i).factory(this.ghostSketch), ghost);
		}
		this.rule = new CounterfactualRule(CANDIDATES.stream().map(Candidate::name).toList(), 0, ghost);
		this.active = create(0);
		simulateSizes();
	}

	private ReplacementPolicy create(int candidate) {
		return CANDIDATES.get(candidate).factory(this.sketch).create(this.slots, this.capacity);
	}

	/** Returns below which mixed hash keys are sampled for ghosts of some entries. */
	private int threshold(int ghost) {
		return (int) (Math.min(1, (double) ghost / this.capacity) * (1 << SAMPLE_BITS));
	}

	/** Returns the entries of a ghost: small caches are simulated whole. */
	private int ghostSize(int ghost) {
		return Math.max(1, Math.min(ghost, this.capacity));
	}

	private int sizeGhostSize(int i) {
		return Math.max(1, (int) Math.round(ghostSize(SIZE_GHOST) * SIZE_FACTORS[i]));
	}

	private void simulateSizes() {
		this.sizeThreshold = threshold(SIZE_GHOST);
		this.sizeGhosts = new GhostCache[SIZE_FACTORS.length];
		for (int i = 0; i < this.sizeGhosts.length; i++) {
			int size = sizeGhostSize(i);
			Candidate candidate = CANDIDATES.get(this.rule.current());
			PolicyFactory factory = candidate.needsCounts() ? Policies.windowTinyLfuAtScale(candidate.windowPart(),
					FrequencySketch.wordsPerEntry(this.capacity)) : candidate.factory(this.ghostSketch);
			this.sizeGhosts[i] = new GhostCache(factory, size);
			this.sizeCalls[i] = 0;
			this.sizeRates[i] = Double.NaN;
		}
	}

	/**
	 * The slots' hashes choose the places in the ghosts: other bits choose the sample.
	 */
	private static int sampleHash(int hash) {
		return (hash * 0x85EBCA6B) >>> (Integer.SIZE - SAMPLE_BITS);
	}

	private void onAccess(int hash, boolean hit) {
		this.sketch.add(hash);
		int at = sampleHash(hash);
		if (at < this.threshold) {
			long bit = 1L << this.waiting;
			this.waitingHits |= hit ? bit : 0;
			this.waitingForSizes |= (at < this.sizeThreshold) ? bit : 0;
			this.waitingHashes[this.waiting++] = hash;
			if (this.waiting == CounterfactualRule.BATCH) {
				simulateBatch();
			}
		}
		if (this.leaving != null) {
			move(SLICE);
		}
	}

	/**
	 * Shows the accesses that wait to all ghosts. One ghost after the other, so that each
	 * is in the processor's cache; but those that share a sketch go together with it.
	 */
	private void simulateBatch() {
		Arrays.fill(this.outcomes, 0);
		for (int i = 0; i < this.waiting; i++) {
			int hash = this.waitingHashes[i];
			this.ghostSketch.add(hash);
			for (int ghost = 0; ghost < this.counting; ghost++) {
				this.outcomes[ghost] |= this.ghosts[ghost].access(hash) ? 1L << i : 0;
			}
		}
		for (int ghost = this.counting; ghost < this.ghosts.length; ghost++) {
			long hits = 0;
			for (int i = 0; i < this.waiting; i++) {
				hits |= this.ghosts[ghost].access(this.waitingHashes[i]) ? 1L << i : 0;
			}
			this.outcomes[ghost] = hits;
		}
		for (long rest = this.waitingForSizes; rest != 0; rest &= rest - 1) {
			simulateSizes(this.waitingHashes[Long.numberOfTrailingZeros(rest)]);
		}
		long hits = this.waitingHits;
		this.waiting = 0;
		this.waitingHits = 0;
		this.waitingForSizes = 0;
		if (this.rule.record(this.outcomes, hits)) {
			change();
		}
	}

	private void simulateSizes(int hash) {
		for (int i = 0; i < this.sizeGhosts.length; i++) {
			double outcome = this.sizeGhosts[i].access(hash) ? 1 : 0;
			double weight = Math.max(RECENT, 1.0 / ++this.sizeCalls[i]);
			this.sizeRates[i] = (this.sizeCalls[i] == 1) ? outcome
					: this.sizeRates[i] + weight * (outcome - this.sizeRates[i]);
		}
	}

	/** Starts to use the policy that the rule has chosen. */
	private void change() {
		finishMoving();
		this.leaving = this.active;
		this.left = this.entries;
		this.moved = new long[(this.slots.limit() >>> 6) + 1];
		this.active = create(this.rule.current());
		simulateSizes();
	}

	/** Makes another candidate the one in use, whatever it achieves. */
	void force(int candidate) {
		this.rule.force(candidate % CANDIDATES.size());
		change();
	}

	/** Returns whether a switch goes on. */
	boolean isMoving() {
		return this.leaving != null;
	}

	private void finishMoving() {
		while (this.leaving != null) {
			move(Integer.MAX_VALUE);
		}
	}

	private void move(int most) {
		ReplacementPolicy from = this.leaving;
		for (int i = 0; from != null && i < most; i++) {
			int slot = from.pollHottest();
			if (slot == Slots.NONE) {
				this.leaving = null;
				this.moved = null;
				return;
			}
			markMoved(slot);
			this.left--;
			this.active.adoptColder(slot);
		}
	}

	private boolean hasMoved(int slot) {
		long[] bits = this.moved;
		return bits == null || ((slot >>> 6) < bits.length && (bits[slot >>> 6] & (1L << slot)) != 0);
	}

	private void markMoved(int slot) {
		long[] bits = this.moved;
		if (bits == null) {
			return;
		}
		if ((slot >>> 6) >= bits.length) {
			bits = Arrays.copyOf(bits, (slot >>> 6) + (slot >>> 7) + 1);
			this.moved = bits;
		}
		bits[slot >>> 6] |= 1L << slot;
	}

	/** An entry is gone, from whichever policy had it. */
	private void forget(int slot) {
		this.entries--;
		long[] bits = this.moved;
		if (bits == null) {
			return;
		}
		if (hasMoved(slot)) {
			bits[slot >>> 6] &= ~(1L << slot);
		}
		else {
			this.left--;
		}
	}

	@Override
	public void onInsert(int slot) {
		this.entries++;
		markMoved(slot);
		this.active.onInsert(slot);
		onAccess(this.slots.hash(slot), false);
	}

	@Override
	public void onHit(int slot) {
		if (this.leaving == null || hasMoved(slot)) {
			this.active.onHit(slot);
		}
		else {
			this.leaving.onRemove(slot);
			this.left--;
			markMoved(slot);
			this.active.onInsert(slot);
			this.active.onHit(slot);
		}
		onAccess(this.slots.hash(slot), true);
	}

	@Override
	public void onRemove(int slot) {
		((this.leaving == null || hasMoved(slot)) ? this.active : this.leaving).onRemove(slot);
		forget(slot);
	}

	/** While a switch goes on, the coldest entries are still with the policy before. */
	@Override
	public int evict(int incoming) {
		ReplacementPolicy cold = (this.left > 0) ? this.leaving : null;
		int victim = ((cold != null) ? cold : this.active).evict(incoming);
		if (victim != incoming) {
			forget(victim);
		}
		else if (incoming != Slots.NONE) {
			onAccess(this.slots.hash(incoming), false);
		}
		return victim;
	}

	@Override
	public int pollHottest() {
		finishMoving();
		int slot = this.active.pollHottest();
		if (slot != Slots.NONE) {
			this.entries--;
		}
		return slot;
	}

	@Override
	public void adoptColder(int slot) {
		this.entries++;
		markMoved(slot);
		this.active.adoptColder(slot);
	}

	@Override
	public void resize(int changed) {
		this.capacity = changed;
		this.sketch.resize(changed);
		this.active.resize(changed);
		if (this.leaving != null) {
			this.leaving.resize(changed);
		}
		resizeGhosts();
	}

	/** The ghosts go on with what they know: only the sample becomes another. */
	private void resizeGhosts() {
		int most = threshold(GHOST);
		this.threshold = most;
		int size = ghostSize(GHOST);
		this.ghostSketch.resize(size, FrequencySketch.wordsPerEntry(this.capacity));
		for (GhostCache ghost : this.ghosts) {
			ghost.resize(size, (hash) -> sampleHash(hash) < most);
		}
		int mostForSizes = threshold(SIZE_GHOST);
		this.sizeThreshold = mostForSizes;
		for (int i = 0; i < this.sizeGhosts.length; i++) {
			this.sizeGhosts[i].resize(sizeGhostSize(i), (hash) -> sampleHash(hash) < mostForSizes);
		}
	}

	/**
	 * Returns the name of the policy in use.
	 * @return a candidate's name
	 */
	public String activeName() {
		return CANDIDATES.get(this.rule.current()).name();
	}

	/**
	 * Returns the candidates' names.
	 * @return in a fixed order
	 */
	public List<String> candidateNames() {
		return CANDIDATES.stream().map(Candidate::name).toList();
	}

	/**
	 * Returns the rule that chooses.
	 * @return what it knows; not to be changed
	 */
	public CounterfactualRule rule() {
		return this.rule;
	}

	/**
	 * Returns estimated hit ratios of the policy in use at other sizes.
	 * @return at 0.5, 1, 2 and 4 times the size, {@code NaN} if nothing is known yet
	 */
	public double[] missRatioCurve() {
		return new double[] { this.sizeRates[0], this.rule.recentRate(this.rule.current()), this.sizeRates[1],
				this.sizeRates[2] };
	}

}
