package io.github.vicinal.samples.trainticket.gateway;

import java.util.List;

import io.github.vicinal.samples.trainticket.auth.AuthApi;
import io.github.vicinal.samples.trainticket.auth.Login;
import io.github.vicinal.samples.trainticket.auth.Token;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel.TripOffer;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;
import io.github.vicinal.samples.trainticket.travelplan.PlannedTrip;
import io.github.vicinal.samples.trainticket.travelplan.TransferQuery;
import io.github.vicinal.samples.trainticket.travelplan.TransferTrips;
import io.github.vicinal.samples.trainticket.travelplan.TravelPlanApi;
import io.github.vicinal.samples.trainticket.user.NewUser;
import io.github.vicinal.samples.trainticket.user.UserApi;
import io.github.vicinal.samples.trainticket.user.UserProfile;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCode;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCodeApi;
import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link GatewayApi}.
 */
@RestController
class GatewayController implements GatewayApi {

	private final TravelApi travel;

	private final Travel2Api travel2;

	private final TravelPlanApi travelPlan;

	private final VerificationCodeApi verificationCode;

	private final AuthApi auth;

	private final UserApi user;

	GatewayController(TravelApi travel, Travel2Api travel2, TravelPlanApi travelPlan,
			VerificationCodeApi verificationCode, AuthApi auth, UserApi user) {
		this.travel = travel;
		this.travel2 = travel2;
		this.travelPlan = travelPlan;
		this.verificationCode = verificationCode;
		this.auth = auth;
		this.user = user;
	}

	@Override
	public List<TripOffer> highSpeedTrips(TripQuery query) {
		return this.travel.tripsLeft(query);
	}

	@Override
	public List<TripOffer> otherTrips(TripQuery query) {
		return this.travel2.tripsLeft(query);
	}

	@Override
	public List<PlannedTrip> cheapest(TripQuery query) {
		return this.travelPlan.cheapest(query);
	}

	@Override
	public List<PlannedTrip> quickest(TripQuery query) {
		return this.travelPlan.quickest(query);
	}

	@Override
	public List<PlannedTrip> fewestStops(TripQuery query) {
		return this.travelPlan.fewestStops(query);
	}

	@Override
	public TransferTrips transfer(TransferQuery query) {
		return this.travelPlan.transfer(query);
	}

	@Override
	public VerificationCode verificationCode() {
		return this.verificationCode.issue();
	}

	@Override
	public Token login(Login login) {
		return this.auth.login(login);
	}

	@Override
	public UserProfile register(NewUser user) {
		return this.user.register(user);
	}

	@Override
	public UserProfile user(@Nullable String authorization, String name) {
		return this.user.user(authorization, name);
	}

}
