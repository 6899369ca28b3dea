package io.github.vicinal.transport.testing.topic;

import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment.Application;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What publishers and subscribers have to agree on, and who may be one. */
abstract class AgreementBehaviours extends TopicBehaviours {

	private static TopicModel other(TopicModel model) {
		return (model == TopicModel.STREAM) ? TopicModel.PUB_SUB : TopicModel.STREAM;
	}

	private Topics application(boolean publisher, String name, TopicGrants grants) {
		Application application = new Application(name, grants, TopicObservations.none());
		return publisher ? environment().publisher(application) : environment().subscriber(application);
	}

	private static TopicGrants grants(String publisher, String subscriber) {
		return new TopicGrants() {

			@Override
			public boolean mayPublish(String topic, String application) {
				return application.equals(publisher);
			}

			@Override
			public boolean maySubscribe(String topic, String application) {
				return application.equals(subscriber);
			}

		};
	}

	/** Expects that a subscriber does not fit a publisher, which has come first. */
	private <T> void expectRefused(Topics billing, TopicSettings<T> settings, MessageHandler<T> handler,
			String... words) {
		if (differs(TopicDifference.DECLARED_ONCE)) {
			assertThatExceptionOfType(TopicException.class)
				.isThrownBy(() -> billing.subscribe(settings, SubscriberSettings.of("bills"), handler))
				.satisfies((ex) -> assertThat(ex.getMessage()).contains(words));
			return;
		}
		billing.subscribe(settings, SubscriberSettings.of("bills"), handler);
		awaitState(billing, "bills", "refused");
		assertThat(report(billing, "bills").publishers().values())
			.anySatisfy((state) -> assertThat(state).contains(words));
		assertThat(report(billing, "bills").attached()).isZero();
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a topic with two models is refused with the names of both sides, and others go on")
	void twoModels(TopicModel model) {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		String second = differs(TopicDifference.ONE_APPLICATION) ? "'shop'" : "'billing'";
		expectRefused(billing, numbers(other(model)), new Recorder(), "'numbers'", model.name(), other(model).name(),
				"'shop'", second);
		assertOthersGoOn(topic, model);
	}

	private void assertOthersGoOn(Topic<byte[]> topic, TopicModel model) {
		Topics audit = environment().subscriber(new Application("audit"));
		Recorder recorder = new Recorder();
		audit.subscribe(numbers(model), SubscriberSettings.of("audit"), recorder);
		awaitAttached(audit, "audit", 1);
		publish(topic, 0, 10);
		await(() -> recorder.handled().size() == 10);
		assertThat(recorder.numbers()).isEqualTo(range(0, 10));
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a topic with two payloads is refused with both, but bytes take all")
	void twoPayloads(TopicModel model) {
		Topics shop = shop();
		TopicSettings<String> text = TopicSettings.of("text", model, String.class);
		Topic<String> topic = shop.topic(text);
		Topics billing = billing();
		expectRefused(billing, TopicSettings.of("text", model, Integer.class), (message) -> {
		}, "'text'", "text", "json", "'shop'");
		TopicSettings<byte[]> bytes = TopicSettings.of("text", model, byte[].class);
		Topics audit = environment().subscriber(new Application("audit"));
		Recorder recorder = new Recorder();
		audit.subscribe(bytes, SubscriberSettings.of("audit"), recorder);
		awaitAttached(audit, "audit", 1);
		topic.publish("ab");
		await(() -> recorder.handled().size() == 1);
		assertThat(recorder.handled().get(0).payload()).containsExactly('a', 'b');
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a subscriber of bytes that comes first leaves the payload to the others")
	void bytesComeFirst(TopicModel model) {
		Topics audit = environment().subscriber(new Application("audit"));
		Recorder recorder = new Recorder();
		audit.subscribe(TopicSettings.of("text", model, byte[].class), SubscriberSettings.of("audit"), recorder);
		TopicSettings<String> text = TopicSettings.of("text", model, String.class);
		Topic<String> topic = shop().topic(text);
		awaitAttached(audit, "audit", 1);
		String publisher = differs(TopicDifference.ONE_APPLICATION) ? "'audit'" : "'shop'";
		expectRefused(billing(), TopicSettings.of("text", model, Integer.class), (message) -> {
		}, "'text'", "text", "json", publisher);
		topic.publish("ab");
		await(() -> recorder.handled().size() == 1);
		assertThat(recorder.handled().get(0).payload()).containsExactly('a', 'b');
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("an application that publishes a topic with other settings is refused with both")
	void otherSettings(TopicModel model) {
		Topics shop = shop();
		Topic<byte[]> topic = shop.topic(numbers(model));
		assertThat(shop.topic(numbers(model))).isSameAs(topic);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> shop.topic(numbers(other(model))))
			.withMessageContaining("'numbers'")
			.withMessageContaining("STREAM")
			.withMessageContaining("PUB_SUB");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> shop.topic(numbers(model).withCapacity(SMALLEST)))
			.withMessageContaining("65536");
		assertOthersGoOn(topic, model);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("an application without a grant is refused by itself, with the property to set")
	void refusedByItself(TopicModel model) {
		TopicGrants grants = grants("nobody", "nobody");
		Topics shop = application(true, "shop", grants);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> shop.topic(numbers(model)))
			.withMessageContaining("'shop' may not publish")
			.withMessageContaining("vicinal.topics.named.numbers.publishers");
		Topics billing = application(false, "billing", grants);
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> billing.subscribe(numbers(model), SubscriberSettings.of("bills"), new Recorder()))
			.withMessageContaining("may not subscribe")
			.withMessageContaining("vicinal.topics.named.numbers.subscribers");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> billing.reader(numbers(model), "bills"))
			.withMessageContaining("may not subscribe");
		assertThat(shop.topics()).isEmpty();
		assertThat(billing.subscriptions()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a publisher lets no subscriber attach that has no grant")
	void refusedByPublisher(TopicModel model) {
		Topic<byte[]> topic = application(true, "shop", grants("shop", "audit")).topic(numbers(model));
		Topics billing = billing();
		if (differs(TopicDifference.ONE_APPLICATION) || differs(TopicDifference.OWN_GRANTS_ONLY)) {
			assertThat(topic.settings().name()).isEqualTo("numbers");
			return;
		}
		expectRefused(billing, numbers(model), new Recorder(), "'billing' may not subscribe",
				"vicinal.topics.named.numbers.subscribers");
		assertOthersGoOn(topic, model);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a subscriber takes nothing from a publisher that has no grant")
	void leftBySubscriber(TopicModel model) {
		Topic<byte[]> topic = application(true, "shop", TopicGrants.all()).topic(numbers(model));
		if (differs(TopicDifference.ONE_APPLICATION) || differs(TopicDifference.OWN_GRANTS_ONLY)) {
			assertThat(topic.settings().name()).isEqualTo("numbers");
			return;
		}
		Topics billing = application(false, "billing", grants("other", "billing"));
		Recorder recorder = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), recorder);
		awaitState(billing, "bills", "'shop' may not publish");
		assertOthersGoOn(topic, model);
		assertThat(recorder.handled()).isEmpty();
	}

}
