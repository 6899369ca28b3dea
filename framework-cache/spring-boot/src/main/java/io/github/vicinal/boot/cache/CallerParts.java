package io.github.vicinal.boot.cache;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.client.CacheableMethod;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.i18n.LocaleContextHolder;

/**
 * Decides whether the answers of a method may be kept for its clients, and which parts of
 * a key identify callers. No answer is kept before a client is known, nor if one cannot
 * be inspected. Thread-safe.
 */
final class CallerParts {

	private static final Logger logger = LoggerFactory.getLogger(CallerParts.class);

	private final String channel;

	private final CacheableMethod plan;

	/** The name of the cache. */
	private final String cache;

	private final boolean sharedByAll;

	private final Supplier<List<CallCacheKeyContributor>> contributors;

	/** Returns baggage of the calling thread's trace; {@code null} without traces. */
	private final @Nullable Supplier<Map<String, String>> baggage;

	/** Whether the texts of arguments depend on the locale of the calling thread. */
	private final boolean localized;

	/**
	 * Contributors that cover additions of clients; guarded by this object for writes.
	 */
	private volatile List<CallCacheKeyContributor> used = List.of();

	/** Whether requests may differ in more than their arguments. */
	private volatile boolean differ;

	/**
	 * Lists of clients that must stay as they were; guarded by this object for writes.
	 */
	private volatile List<RequestAdditions.Watched> lists = List.of();

	private volatile @Nullable String off = "no client is known yet";

	private boolean refused;

	/** Additions that are the same for all requests of the first client. */
	private @Nullable Map<String, Object> constants;

	/**
	 * Creates what is not known yet.
	 * @param sharedByAll whether all callers may see the same answers
	 * @param contributors add to the keys of calls
	 * @param baggage returns what the trace of the calling thread adds to requests, or
	 * {@code null} if there are no traces
	 */
	CallerParts(String channel, CacheableMethod plan, String cache, boolean sharedByAll,
			Supplier<List<CallCacheKeyContributor>> contributors, @Nullable Supplier<Map<String, String>> baggage) {
		this.channel = channel;
		this.plan = plan;
		this.cache = cache;
		this.sharedByAll = sharedByAll;
		this.contributors = contributors;
		this.baggage = sharedByAll ? null : baggage;
		this.localized = ArgumentKeys.dependOnLocale(plan.method().method());
	}

	/** Takes what a client may add to requests. */
	synchronized void client(RequestAdditions.Found found) {
		List<RequestAddition> additions = new ArrayList<>(found.additions());
		Map<String, Object> first = this.constants;
		if (first != null && !first.equals(found.constants())) {
			// As scoped clients do, which know the caller when they are created.
			additions.add(new RequestAddition(this.channel,
					"several clients, which differ in default headers, cookies or URLs", null));
		}
		this.constants = (first != null) ? first : found.constants();
		if (!this.sharedByAll && !found.lists().isEmpty()) {
			List<RequestAdditions.Watched> watched = new ArrayList<>(this.lists);
			watched.removeIf(RequestAdditions.Watched::isGone);
			watched.addAll(found.lists());
			this.lists = List.copyOf(watched);
		}
		Set<CallCacheKeyContributor> all = new LinkedHashSet<>(this.used);
		List<RequestAddition> open = new ArrayList<>();
		List<CallCacheKeyContributor> asked = additions.isEmpty() ? List.of() : this.contributors.get();
		for (RequestAddition addition : additions) {
			List<CallCacheKeyContributor> covering = asked.stream().filter((each) -> each.covers(addition)).toList();
			all.addAll(covering);
			if (covering.isEmpty()) {
				open.add(addition);
			}
		}
		this.differ |= !additions.isEmpty();
		// First, so that no call is answered without them.
		this.used = List.copyOf(all);
		if (!open.isEmpty() && !this.sharedByAll) {
			boolean known = this.refused;
			this.refused = true;
			String what = open.stream().map(RequestAddition::description).distinct().toList().toString();
			this.off = "the HTTP client may add values to requests that differ from caller to caller: " + what;
			refuse(open, what, known);
		}
		if (!this.refused) {
			this.off = null;
		}
	}

	private void refuse(List<RequestAddition> open, String what, boolean known) {
		String method = this.plan.method().method().getDeclaringClass().getSimpleName() + "."
				+ this.plan.method().method().getName();
		String remedies = ("Add a bean of type %s that covers it, so that callers share answers only with those whose part of the key is the same; "
				+ "or, if all callers may see the same answers, set @CacheableCall(sharedByAllCallers = true) or vicinal.cache.caches.%s.shared-by-all-callers=true; "
				+ "or remove @CacheableCall")
			.formatted(CallCacheKeyContributor.class.getName(), this.cache);
		if (open.stream().anyMatch((addition) -> addition.source() != null)) {
			throw new InvalidChannelException(
					"%s has @CacheableCall, but the HTTP client of channel '%s' may add values to requests that differ from caller to caller: %s. One caller would get the answers of another"
						.formatted(method, this.channel, what),
					remedies);
		}
		if (known) {
			return;
		}
		logger.warn(
				"Calls of {} are not cached: the HTTP client of channel '{}' cannot be inspected {}, and may add the caller to requests. {}",
				method, this.channel, what, remedies);
	}

	/** Returns why nothing is kept, or {@code null}. */
	@Nullable String off() {
		for (RequestAdditions.Watched list : this.lists) {
			if (list.isChanged()) {
				return "the %s of the HTTP client were changed after it was made".formatted(list.content());
			}
		}
		return this.off;
	}

	/** Returns whether keys identify callers. */
	boolean distinguishCallers() {
		return !this.used.isEmpty();
	}

	/** Returns whether keys may depend on what threads carry. */
	boolean dependOnThreads() {
		return distinguishCallers() || this.baggage != null || this.localized;
	}

	/** Returns whether requests are the same for all callers but for their arguments. */
	boolean areAlike() {
		return !this.differ;
	}

	/**
	 * Returns what the key of a call by this thread has, besides the arguments.
	 * @return the parts, or {@code null} if the call must not be answered from the cache
	 */
	@Nullable List<Object> parts() {
		List<CallCacheKeyContributor> asked = this.used;
		Map<String, String> carried = (this.baggage != null) ? this.baggage.get() : Map.of();
		if (asked.isEmpty() && carried.isEmpty() && !this.localized) {
			return List.of();
		}
		List<Object> parts = new ArrayList<>(asked.size() + 3);
		if (this.localized) {
			parts.add(LocaleContextHolder.getLocale());
			parts.add(LocaleContextHolder.getTimeZone());
		}
		if (!carried.isEmpty()) {
			parts.add(Map.copyOf(carried));
		}
		for (CallCacheKeyContributor contributor : asked) {
			Object part = contributor.part(this.channel, this.plan.method().method());
			if (part == null) {
				return null;
			}
			parts.add(part);
		}
		return parts;
	}

}
