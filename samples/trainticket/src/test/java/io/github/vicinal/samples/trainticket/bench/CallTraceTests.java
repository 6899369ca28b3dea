package io.github.vicinal.samples.trainticket.bench;

import java.time.LocalDate;
import java.util.List;

import io.github.vicinal.samples.trainticket.travel.TripQuery;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CallTraceTests {

	private final List<CallTrace.Call> calls = new CallTrace()
		.advancedSearch(new TripQuery("Nan Jing", "Shang Hai", LocalDate.of(2030, 1, 1)));

	@Test
	void aSearchMakesTheCallsThatWereCountedOnTheRunningServices() {
		assertThat(this.calls).hasSize(292);
		assertThat(this.calls).filteredOn((call) -> call.key().startsWith("StationApi.id"))
			.hasSize(53)
			.allMatch((call) -> call.caller().equals("basic") && call.cacheable());
		assertThat(this.calls).filteredOn((call) -> call.key().startsWith("SeatApi"))
			.noneMatch(CallTrace.Call::cacheable);
	}

	@Test
	void aCallThatIsPartOfAnotherIsDeeperAndFollowsIt() {
		for (int i = 0; i < this.calls.size(); i++) {
			if (this.calls.get(i).key().startsWith("TicketInfoApi.stationId")) {
				assertThat(this.calls.get(i + 1).key()).startsWith("BasicApi.stationId");
				assertThat(this.calls.get(i + 1).depth()).isEqualTo(this.calls.get(i).depth() + 1);
			}
		}
	}

}
