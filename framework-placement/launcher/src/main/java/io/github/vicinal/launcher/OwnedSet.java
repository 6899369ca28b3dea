package io.github.vicinal.launcher;

import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A set whose elements belong to the application whose thread has added them. Not
 * thread-safe.
 */
final class OwnedSet extends AbstractSet<Object> {

	private final Map<Object, @Nullable ApplicationLoader> owners = new LinkedHashMap<>();

	@Override
	public boolean add(Object element) {
		if (this.owners.containsKey(element)) {
			return false;
		}
		this.owners.put(element, ApplicationThreads.owner(Thread.currentThread()));
		return true;
	}

	@Override
	public boolean remove(@Nullable Object element) {
		boolean known = this.owners.containsKey(element);
		this.owners.remove(element);
		return known;
	}

	@Override
	public Iterator<Object> iterator() {
		return this.owners.keySet().iterator();
	}

	@Override
	public int size() {
		return this.owners.size();
	}

	/** Removes the elements of an application and returns them, oldest first. */
	List<Object> take(ApplicationLoader loader) {
		List<Object> taken = new ArrayList<>();
		this.owners.forEach((element, owner) -> {
			if (owner == loader) {
				taken.add(element);
			}
		});
		taken.forEach(this.owners::remove);
		return taken;
	}

}
