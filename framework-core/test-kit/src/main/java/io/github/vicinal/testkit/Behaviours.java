package io.github.vicinal.testkit;

import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.testkit.Kit.Call;
import io.github.vicinal.testkit.Kit.Carriage;
import io.github.vicinal.testkit.contract.ControlContract;
import io.github.vicinal.testkit.contract.KitContract;
import org.junit.jupiter.api.Timeout;

/**
 * Base of the kit's themes: the vocabulary of their tests.
 */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
abstract class Behaviours {

	/**
	 * Return the kit that the enclosing test class has built.
	 * @return the kit
	 */
	abstract Kit kit();

	/**
	 * The outcome of one call over HTTP; the path under test carried the same call to the
	 * same outcome.
	 */
	<C extends KitContract> Outcome same(Class<C> contract, Call<C> call) {
		return kit().compare(contract, KitClient.BLOCKING, Carriage.ON_PATH, call);
	}

	<C extends KitContract> Outcome same(Class<C> contract, KitClient client, Call<C> call) {
		return kit().compare(contract, client, Carriage.ON_PATH, call);
	}

	/**
	 * Same as {@link #same}, for a call that takes long: the one over HTTP is made at the
	 * same time.
	 */
	<C extends KitContract> Outcome sameAtOnce(Class<C> contract, KitClient client, Call<C> call) {
		return kit().compareAtOnce(contract, client, call);
	}

	/**
	 * Same as {@link #same}, for something that consists of several calls.
	 */
	<C extends KitContract> Outcome sameSeveral(Class<C> contract, Call<C> calls) {
		return kit().compare(contract, KitClient.BLOCKING, Carriage.SEVERAL, calls);
	}

	/**
	 * Same as {@link #same}, for a call that the path may leave to HTTP, with a reason.
	 */
	<C extends KitContract> Outcome sameAnywhere(Class<C> contract, Call<C> call) {
		return kit().compare(contract, KitClient.BLOCKING, Carriage.ANYWHERE, call);
	}

	<C extends KitContract> Outcome sameAnywhere(Class<C> contract, KitClient client, Call<C> call) {
		return kit().compare(contract, client, Carriage.ANYWHERE, call);
	}

	/**
	 * Same as {@link #sameAnywhere}, for a call that HTTP itself ends in one of several
	 * ways.
	 */
	<C extends KitContract> Outcome sameAsOnceAnywhere(Class<C> contract, Call<C> call) {
		return kit().compareVarying(contract, call);
	}

	/**
	 * Same as {@link #sameAnywhere}, for something that consists of several calls.
	 */
	<C extends KitContract> Outcome sameSeveralAnywhere(Class<C> contract, Call<C> calls) {
		return kit().compare(contract, KitClient.BLOCKING, Carriage.SEVERAL_ANYWHERE, calls);
	}

	/**
	 * Same as {@link #same}, for a call that fails at the client before anything is sent.
	 */
	<C extends KitContract> Outcome sameUnsent(Class<C> contract, Call<C> call) {
		return kit().compare(contract, KitClient.BLOCKING, Carriage.NOT_AT_ALL, call);
	}

	/**
	 * Same as {@link #same}, where it does not matter whether anything is sent before the
	 * call ends.
	 */
	<C extends KitContract> Outcome sameEvenIfUnsent(Class<C> contract, Call<C> call) {
		C oracle = http(contract);
		C proxy = path(contract);
		Outcome expected = kit().outcome(() -> call.on(oracle));
		kit().outcome(() -> call.on(proxy)).assertSameAs(expected);
		return expected;
	}

	<C extends KitContract> C path(Class<C> contract) {
		return kit().path(contract, KitClient.BLOCKING);
	}

	<C extends KitContract> C http(Class<C> contract) {
		return kit().http(contract, KitClient.BLOCKING);
	}

	ControlContract control() {
		return kit().control();
	}

	String newGate() {
		return UUID.randomUUID().toString();
	}

}
