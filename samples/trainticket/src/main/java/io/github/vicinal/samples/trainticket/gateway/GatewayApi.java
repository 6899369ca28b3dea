package io.github.vicinal.samples.trainticket.gateway;

import java.util.List;

import io.github.vicinal.samples.trainticket.auth.Login;
import io.github.vicinal.samples.trainticket.auth.Token;
import io.github.vicinal.samples.trainticket.travel.TripOffer;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travelplan.PlannedTrip;
import io.github.vicinal.samples.trainticket.travelplan.TransferQuery;
import io.github.vicinal.samples.trainticket.travelplan.TransferTrips;
import io.github.vicinal.samples.trainticket.user.NewUser;
import io.github.vicinal.samples.trainticket.user.UserProfile;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCode;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code gateway}: all that can be asked from outside. Searching
 * needs no token, reading a user does.
 */
@HttpExchange("/api/v1")
public interface GatewayApi {

	/**
	 * Basic search among high-speed trains.
	 * @param query stations and day
	 * @return the trips
	 */
	@PostExchange("/travelservice/trips/left")
	List<TripOffer> highSpeedTrips(@RequestBody TripQuery query);

	/**
	 * Basic search among all other trains.
	 * @param query stations and day
	 * @return the trips
	 */
	@PostExchange("/travel2service/trips/left")
	List<TripOffer> otherTrips(@RequestBody TripQuery query);

	/**
	 * Advanced search by price.
	 * @param query stations and day
	 * @return up to 5 trips, cheapest first
	 */
	@PostExchange("/travelplanservice/travelPlan/cheapest")
	List<PlannedTrip> cheapest(@RequestBody TripQuery query);

	/**
	 * Advanced search by duration.
	 * @param query stations and day
	 * @return up to 5 trips, quickest first
	 */
	@PostExchange("/travelplanservice/travelPlan/quickest")
	List<PlannedTrip> quickest(@RequestBody TripQuery query);

	/**
	 * Advanced search by number of stops.
	 * @param query stations and day
	 * @return the trips of up to 5 routes, fewest stops first
	 */
	@PostExchange("/travelplanservice/travelPlan/minStation")
	List<PlannedTrip> fewestStops(@RequestBody TripQuery query);

	/**
	 * Search for trips with one change of train.
	 * @param query stations and day
	 * @return trips before and after the change
	 */
	@PostExchange("/travelplanservice/travelPlan/transferResult")
	TransferTrips transfer(@RequestBody TransferQuery query);

	/**
	 * Issues a verification code for a login.
	 * @return the code
	 */
	@PostExchange("/verifycode/generate")
	VerificationCode verificationCode();

	/**
	 * Logs a user in.
	 * @param login name, password and verification code
	 * @return a signed token
	 */
	@PostExchange("/users/login")
	Token login(@RequestBody Login login);

	/**
	 * Adds a user.
	 * @param user the user and his password
	 * @return the profile
	 */
	@PostExchange("/userservice/users/register")
	UserProfile register(@RequestBody NewUser user);

	/**
	 * Finds the profile of a user, for the user himself or an administrator.
	 * @param authorization the token of the caller
	 * @param name name of the user
	 * @return the profile
	 */
	@GetExchange("/userservice/users/{name}")
	UserProfile user(@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) @Nullable String authorization,
			@PathVariable String name);

}
