package io.github.vicinal.cache.policy;

/**
 * Decides which entry goes. The interface for policies of one's own:
 * {@code CachePolicy.custom(name, factory)}.
 * <p>
 * Called by one thread at a time, with the effects of earlier calls visible, while a lock
 * is held: methods must be short, must not block, and must not use the cache. A policy
 * knows a slot from {@link #onInsert} or {@link #adoptColder} until {@link #onRemove}, or
 * until {@link #evict} or {@link #pollHottest} returned it. Between these calls the
 * links, the mark and the hash of the slot in {@link Slots} are its own. Slots are used
 * again for other entries. {@code PolicyCompatibilityKit} in the module's test jar checks
 * an implementation.
 *
 * @since 0.1.0
 */
public interface ReplacementPolicy {

	/**
	 * An entry was added. There is room for it: {@link #evict} made it if necessary.
	 * @param slot its slot
	 */
	void onInsert(int slot);

	/**
	 * An entry was read or written again.
	 * @param slot its slot
	 */
	void onHit(int slot);

	/**
	 * An entry was removed or expired: the policy forgets its slot.
	 * @param slot its slot
	 */
	void onRemove(int slot);

	/**
	 * Chooses the entry that goes, and forgets it. Called only if the policy knows an
	 * entry.
	 * @param incoming the slot of the entry that is to be added next. The policy does not
	 * know it yet, but may read its hash. {@link Slots#NONE} if none is: an entry has
	 * become heavier
	 * @return a slot that the policy knew, or {@code incoming} in order not to admit it
	 */
	int evict(int incoming);

	/**
	 * Gives away the entry that would have gone last, and forgets it.
	 * @return a slot, or {@link Slots#NONE} if none is left
	 */
	int pollHottest();

	/**
	 * Takes over an entry of another policy as one that goes before all that were adopted
	 * so far. Entries come from the hottest to the coldest; inserts and hits may come
	 * between.
	 * @param slot its slot
	 */
	void adoptColder(int slot);

	/**
	 * Notifies that the capacity in entries has changed, because weights have.
	 * @param capacity the number of entries, at least 1
	 */
	default void resize(int capacity) {
	}

}
