package io.github.vicinal.peer;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The header that anybody can write. */
class PeerAnnouncementTests {

	private static final String HEX = "0123456789abcdef";

	private static final String ID = "0123456789abcdef0123456789abcdef";

	@Property
	void writtenValuesAreRead(@ForAll("announcements") PeerAnnouncement announcement)
			throws MalformedAnnouncementException {
		String header = announcement.format();
		assertThat(header).hasSizeLessThanOrEqualTo(PeerAnnouncement.MAX_CHARS).matches("[ -~]*");
		PeerAnnouncement read = PeerAnnouncement.parse(header);
		assertThat(read.peer()).isEqualTo(announcement.peer());
		assertThat(read.paths()).isEqualTo(announcement.paths());
		assertThat(read.contractHash()).isEqualTo(announcement.contractHash());
		assertThat(read.refusal().isEmpty()).isEqualTo(announcement.refusal().isEmpty());
		assertThat(read.arrival()).isEqualTo(announcement.arrival());
		assertThat(read.origin()).isEqualTo(announcement.origin());
		assertThat(read.ticket()).isEqualTo(announcement.ticket());
		assertThat(read.missing()).isEqualTo(announcement.missing());
		assertThat(read.addresses()).isEqualTo(announcement.addresses());
		assertThat(read.httpOnlyMethods()).isEqualTo(announcement.httpOnlyMethods());
	}

	PeerAnnouncement announcements(Gen gen) {
		String id = gen.text(HEX, 32);
		String host = gen.bool() ? gen.text(HEX, 32) : PeerIdentity.NO_HOST;
		Set<String> paths = Set.copyOf(gen.list(0, 2, () -> gen.one("direct", "uds")));
		String hash = gen.bool() ? "" : gen.text(HEX, 16);
		Ends ends = gen.one(Ends.values());
		return new PeerAnnouncement(new PeerIdentity(id, host), paths, hash, gen.text(0, 500),
				Set.copyOf(gen.list(0, 40, () -> gen.integer(0, 200))))
			.withOrigin(gen.one("", "127.0.0.1", "0:0:0:0:0:0:0:1", "fe80:0:0:0:a00:27ff:fe4e:66a1"))
			.withArrival(gen.one("", "127.0.0.1:80", "0:0:0:0:0:0:0:1:0", "fe80:0:0:0:a00:27ff:fe4e:66a1:65535"))
			.withTicket(ends.ticket)
			.withMissing(ends.missing)
			.withAddresses(gen.one(Map.of(), Map.of("tcp", "127.0.0.1:1"),
					Map.of("quic", "0:0:0:0:0:0:0:1:65535", "tcp", "10.0.0.1:80")));
	}

	/** Characters that may end an announcement. */
	private enum Ends {

		NOTHING("", Map.of()), TICKET("0123456789abcdef", Map.of()),
		REASON("", Map.of("shm", MissingPath.NO_TMPFS.word())), ALL("0123456789abcdef0123456789abcdef",
				Map.of("shm", "x".repeat(24), "uds", "x".repeat(24), "direct", "x".repeat(24)));

		private final String ticket;

		private final Map<String, String> missing;

		Ends(String ticket, Map<String, String> missing) {
			this.ticket = ticket;
			this.missing = missing;
		}

	}

	@Property(tries = 5000)
	void garbageIsRefusedWithAReason(@ForAll String garbage) {
		onlyMalformed(garbage);
	}

	@Property(tries = 5000)
	void aMutatedHeaderIsReadOrRefused(@ForAll("announcements") PeerAnnouncement announcement, @ForAll int position,
			@ForAll char replacement) {
		StringBuilder header = new StringBuilder(announcement.format());
		header.setCharAt(Math.floorMod(position, header.length()), replacement);
		onlyMalformed(header.toString());
	}

	private static void onlyMalformed(String header) {
		try {
			assertThat(PeerAnnouncement.parse(header).peer().instanceId()).matches("[0-9a-f]{32}");
		}
		catch (MalformedAnnouncementException ex) {
			// Text of a foreign process must not forge lines in a log.
			assertThat(ex).hasMessageContaining(PeerAnnouncement.HEADER);
			assertThat(ex.getMessage()).matches("[ -~]*");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					v=2; i=0123456789abcdef0123456789abcdef; h=; p=uds   | version is not 1
					i=0123456789abcdef0123456789abcdef; h=; p=uds        | version is not 1
					v=1; h=; p=uds                                       | no field 'i'
					v=1; i=xyz; h=; p=uds                                | 32 hexadecimal digits
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; p=  | stands twice
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; c=1 | 16 hexadecimal digits
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; a=evil.example:80 | must be an IP address, a colon and a port
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; a=127.0.0.1 | must be an IP address, a colon and a port
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; t=x | A ticket has 16 to 32
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; m=2,7 | must be a hexadecimal number
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=shm | a path without a reason
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=shm:/dev/shm/me | must hold words only
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=a:b,a:b,a:b,a:b,a:b,a:b,a:b,a:b,a:b | more than 8 paths
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=tcp; e=tcp | a path without an address
					v=1; i=0123456789abcdef0123456789abcdef; h=; p=tcp; e=tcp@example.org:80 | an IP address, a colon and a port
					nonsense                                             | without '='
					""")
	void theReasonNamesTheRule(String header, String rule) {
		assertThatExceptionOfType(MalformedAnnouncementException.class).isThrownBy(() -> PeerAnnouncement.parse(header))
			.withMessageContaining(rule);
	}

	@Test
	void aLongHeaderIsNotRead() {
		assertThatExceptionOfType(MalformedAnnouncementException.class)
			.isThrownBy(() -> PeerAnnouncement.parse("v=1; " + "x".repeat(PeerAnnouncement.MAX_CHARS)))
			.withMessageContaining("longer than 1024");
	}

	@Test
	void pathsOfALaterVersionAreLeftToTheChannel() throws MalformedAnnouncementException {
		PeerAnnouncement read = PeerAnnouncement.parse("v=1; i=" + ID + "; h=; p=teleport,uds,http,no/word; x=y");
		assertThat(read.paths()).containsExactlyInAnyOrder("teleport", "uds");
	}

	@Test
	void reasonsOfALaterVersionAreKept() throws MalformedAnnouncementException {
		PeerAnnouncement read = PeerAnnouncement.parse("v=1; i=" + ID + "; h=; p=uds; n=teleport:no-beam,shm:too-cold");
		assertThat(read.missing()).containsOnly(Map.entry("shm", "too-cold"), Map.entry("teleport", "no-beam"));
		assertThat(MissingPath.explain("too-cold")).isEqualTo("too-cold");
		assertThat(MissingPath.explain("no-tmpfs")).contains("tmpfs");
	}

	@Test
	void earlierVersionsGiveNoReasons() throws MalformedAnnouncementException {
		assertThat(PeerAnnouncement.parse("v=1; i=" + ID + "; h=; p=uds").missing()).isEmpty();
	}

	@Test
	void hundredsOfMethodsThatNeedHttpAreAnnounced() throws MalformedAnnouncementException {
		Set<Integer> odd = IntStream.range(0, 1000).filter((i) -> i % 2 == 1).boxed().collect(Collectors.toSet());
		PeerAnnouncement announcement = longest(odd);
		PeerAnnouncement read = PeerAnnouncement.parse(announcement.format());
		assertThat(read.httpOnlyMethods()).isEqualTo(odd);
		assertThat(read.paths()).isEqualTo(announcement.paths());
		assertThat(read.ticket()).isEqualTo(announcement.ticket());
		assertThat(announcement.refusal()).startsWith(read.refusal());
		assertThat(read.refusal()).isNotEmpty();
	}

	@Test
	void noPathIsOfferedIfTheMethodsThatNeedHttpCannotBeNamed() throws MalformedAnnouncementException {
		PeerAnnouncement read = PeerAnnouncement.parse(longest(Set.of(9999)).format());
		assertThat(read.paths()).isEmpty();
		assertThat(read.httpOnlyMethods()).isEmpty();
		assertThat(read.refusal()).isEqualTo("an announcement cannot name so many methods that must come by HTTP");
	}

	@Test
	void noPathIsOfferedIfThePathsCannotBeNamed() throws MalformedAnnouncementException {
		Set<String> paths = IntStream.range(0, 60)
			.mapToObj("tunnel-under-the-river%d"::formatted)
			.collect(Collectors.toSet());
		String header = new PeerAnnouncement(new PeerIdentity(ID, ID), paths, "", "").format();
		PeerAnnouncement read = PeerAnnouncement.parse(header);
		assertThat(read.paths()).isEmpty();
		assertThat(read.refusal()).isEqualTo("the announcement would be too long");
	}

	@Test
	void wordsForMissingPathsGiveWayToWhatDecides() throws MalformedAnnouncementException {
		Map<String, String> missing = IntStream.range(0, 12)
			.boxed()
			.collect(Collectors.toMap("far-away-path-number-%d"::formatted, (i) -> "x".repeat(24)));
		PeerAnnouncement announcement = longest(Set.of(1200)).withMissing(missing);
		PeerAnnouncement read = PeerAnnouncement.parse(announcement.format());
		assertThat(read.httpOnlyMethods()).containsExactly(1200);
		assertThat(missing).containsAllEntriesOf(read.missing());
		assertThat(read.missing()).hasSizeLessThan(8);
		assertThat(PeerAnnouncement
			.parse(new PeerAnnouncement(new PeerIdentity(ID, ID), Set.of(), "", "").withMissing(missing).format())
			.missing()).hasSize(8);
	}

	private static PeerAnnouncement longest(Set<Integer> methods) {
		return new PeerAnnouncement(new PeerIdentity(ID, ID), Set.of("direct", "shm", "uds"), "0123456789abcdef",
				"why ".repeat(100), methods)
			.withArrival("fe80:0:0:0:a00:27ff:fe4e:66a1:65535")
			.withTicket(ID)
			.withMissing(Ends.ALL.missing);
	}

}
