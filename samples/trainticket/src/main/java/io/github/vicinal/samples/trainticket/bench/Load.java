package io.github.vicinal.samples.trainticket.bench;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;

/**
 * A way to send requests.
 */
interface Load {

	/**
	 * Sends the same request for some time and waits for all answers.
	 * @param client sends it
	 * @param request the request
	 * @param duration for how long new requests are sent
	 * @return its outcome
	 * @throws InterruptedException if the thread is interrupted
	 */
	LoadResult run(HttpClient client, HttpRequest request, Duration duration) throws InterruptedException;

	/**
	 * Returns whether the services are idle between two requests.
	 * @return {@code true} if requests have planned times
	 */
	boolean paced();

	/**
	 * Describes the load.
	 * @return a few words
	 */
	String describe();

}
