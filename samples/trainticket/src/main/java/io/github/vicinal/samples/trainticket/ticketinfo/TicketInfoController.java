package io.github.vicinal.samples.trainticket.ticketinfo;

import io.github.vicinal.samples.trainticket.basic.BasicApi;
import io.github.vicinal.samples.trainticket.basic.TravelQuery;
import io.github.vicinal.samples.trainticket.basic.TravelQuote;
import io.github.vicinal.samples.trainticket.station.StationId;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link TicketInfoApi}.
 */
@RestController
class TicketInfoController implements TicketInfoApi {

	private final BasicApi basic;

	TicketInfoController(BasicApi basic) {
		this.basic = basic;
	}

	@Override
	public TravelQuote ticketInfo(TravelQuery query) {
		return this.basic.travel(query);
	}

	@Override
	public StationId stationId(String name) {
		return this.basic.stationId(name);
	}

}
