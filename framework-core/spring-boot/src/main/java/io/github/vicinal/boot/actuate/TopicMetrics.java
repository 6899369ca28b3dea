package io.github.vicinal.boot.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicWatcher;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Meters of topics. A topic has them from its first use on; they keep their counts when
 * it is closed and opened again. They read what topics count anyway and cost nothing per
 * message. Thread-safe.
 */
final class TopicMetrics implements MeterBinder, TopicWatcher {

	private static final String PREFIX = "vicinal.topic.";

	private static final String MESSAGES = BaseUnits.MESSAGES;

	/** Guarded by this. */
	private final List<MeterRegistry> registries = new ArrayList<>();

	/** Meters of publishers by topic. Guarded by this. */
	private final Map<String, TopicReports<TopicReport>> published = new LinkedHashMap<>();

	/** Meters of subscribers by topic and subscriber. Guarded by this. */
	private final Map<Subscriber, TopicReports<SubscriptionReport>> subscribed = new LinkedHashMap<>();

	private final Predicate<String> bells;

	/**
	 * Creates the meters.
	 * @param bells whether a topic is the bell of a durable one, which has no meters
	 */
	TopicMetrics(Predicate<String> bells) {
		this.bells = bells;
	}

	@Override
	public synchronized void bindTo(MeterRegistry registry) {
		this.registries.add(registry);
		this.published.forEach((topic, reports) -> bindTopic(registry, topic, reports));
		this.subscribed.forEach((subscriber, reports) -> bindSubscriber(registry, subscriber, reports));
	}

	@Override
	public synchronized void opened(Topic<?> topic) {
		String name = topic.settings().name();
		if (this.bells.test(name)) {
			return;
		}
		TopicReports<TopicReport> reports = this.published.get(name);
		if (reports == null) {
			TopicReports<TopicReport> added = new TopicReports<>(
					new TopicReport(name, topic.settings().model(), 0, 0, 0, 0, 0, 0, 0, List.of()), TopicMetrics::sum);
			this.published.put(name, added);
			this.registries.forEach((registry) -> bindTopic(registry, name, added));
			reports = added;
		}
		reports.add(topic, topic::report);
	}

	@Override
	public synchronized void closed(Topic<?> topic) {
		TopicReports<TopicReport> reports = this.published.get(topic.settings().name());
		if (reports != null) {
			reports.remove(topic);
		}
	}

	@Override
	public synchronized void opened(Subscription subscription) {
		Subscriber subscriber = Subscriber.of(subscription);
		if (this.bells.test(subscriber.topic())) {
			return;
		}
		TopicReports<SubscriptionReport> known = this.subscribed.get(subscriber);
		if (known != null) {
			known.add(subscription, subscription::report);
			return;
		}
		TopicReports<SubscriptionReport> added = new TopicReports<>(
				new SubscriptionReport(subscriber.topic(), subscriber.name(), 0, 0, 0, 0, 0, Map.of()),
				TopicMetrics::sum);
		added.add(subscription, subscription::report);
		this.subscribed.put(subscriber, added);
		this.registries.forEach((registry) -> bindSubscriber(registry, subscriber, added));
	}

	@Override
	public synchronized void closed(Subscription subscription) {
		TopicReports<SubscriptionReport> reports = this.subscribed.get(Subscriber.of(subscription));
		if (reports != null) {
			reports.remove(subscription);
		}
	}

	private static TopicReport sum(TopicReport one, TopicReport other) {
		return new TopicReport(one.topic(), one.model(), one.published() + other.published(),
				one.dropped() + other.dropped(), one.refused() + other.refused(), 0, 0, 0, 0, List.of());
	}

	private static SubscriptionReport sum(SubscriptionReport one, SubscriptionReport other) {
		return new SubscriptionReport(one.topic(), one.subscriber(), one.handled() + other.handled(),
				one.failed() + other.failed(), one.redelivered() + other.redelivered(), one.dropped() + other.dropped(),
				0, Map.of());
	}

	private static void bindTopic(MeterRegistry registry, String topic, TopicReports<TopicReport> reports) {
		Tags tags = Tags.of("topic", topic);
		counter(registry, "published", tags, reports, TopicReport::published, "Messages that were published");
		counter(registry, "dropped", tags, reports, TopicReport::dropped,
				"Messages that were dropped to make room before all subscribers had handled them");
		counter(registry, "refused", tags, reports, TopicReport::refused,
				"Messages that were not published because there was no room");
		gauge(registry, "subscribers", tags, reports, (report) -> report.subscribers().size(), null,
				"Subscribers that are attached to this publisher");
		gauge(registry, "backlog", tags, reports, TopicReport::backlogMessages, MESSAGES,
				"Messages that the slowest subscriber has yet to handle; in a stream those that no subscriber has begun");
		gauge(registry, "backlog.size", tags, reports, TopicReport::backlogBytes, BaseUnits.BYTES,
				"Shared memory that these messages take");
		gauge(registry, "used", tags, reports, TopicReport::usedBytes, BaseUnits.BYTES,
				"Shared memory of messages that are not handled");
		gauge(registry, "capacity", tags, reports, TopicReport::capacityBytes, BaseUnits.BYTES,
				"Shared memory that messages may take");
	}

	private static void bindSubscriber(MeterRegistry registry, Subscriber subscriber,
			TopicReports<SubscriptionReport> reports) {
		Tags tags = Tags.of("topic", subscriber.topic(), "subscriber", subscriber.name());
		counter(registry, "delivered", tags, reports, SubscriptionReport::handled,
				"Messages that the subscriber has handled");
		counter(registry, "failed", tags, reports, SubscriptionReport::failed,
				"Messages that the subscriber could not handle");
		counter(registry, "redelivered", tags, reports, SubscriptionReport::redelivered,
				"Messages that were delivered to another subscriber before");
		if (reports.total(SubscriptionReport::dropped) >= 0) {
			// Not known of durable topics.
			counter(registry, "missed", tags, reports, SubscriptionReport::dropped,
					"Messages that were dropped before they came to the subscriber");
		}
		gauge(registry, "publishers", tags, reports, SubscriptionReport::attached, null,
				"Publishers that the subscriber is attached to");
	}

	private static <R> void counter(MeterRegistry registry, String name, Tags tags, TopicReports<R> reports,
			ToLongFunction<R> value, String description) {
		FunctionCounter.builder(PREFIX + name, reports, (it) -> it.total(value))
			.description(description)
			.baseUnit(MESSAGES)
			.tags(tags)
			.register(registry);
	}

	private static <R> void gauge(MeterRegistry registry, String name, Tags tags, TopicReports<R> reports,
			ToLongFunction<R> value, @Nullable String unit, String description) {
		Gauge.builder(PREFIX + name, reports, (it) -> it.current(value))
			.description(description)
			.baseUnit(unit)
			.tags(tags)
			.register(registry);
	}

	private record Subscriber(String topic, String name) {

		static Subscriber of(Subscription subscription) {
			SubscriptionReport report = subscription.report();
			return new Subscriber(report.topic(), report.subscriber());
		}

	}

}
