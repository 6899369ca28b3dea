package io.github.vicinal.peer;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.Property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The header that anybody can write. */
class PeerAnnouncementTests {

	private static final String HEX = "0123456789abcdef";

	private static final String ID = "0123456789abcdef0123456789abcdef";

	@Property
	void whatIsWrittenIsRead(@ForAll("announcements") PeerAnnouncement announcement)
			throws MalformedAnnouncementException {
		String header = announcement.format();
		assertThat(header).hasSizeLessThanOrEqualTo(PeerAnnouncement.MAX_CHARS).matches("[ -~]*");
		PeerAnnouncement read = PeerAnnouncement.parse(header);
		assertThat(read.peer()).isEqualTo(announcement.peer());
		assertThat(read.paths()).isEqualTo(announcement.paths());
		assertThat(read.contractHash()).isEqualTo(announcement.contractHash());
		assertThat(read.refusal().isEmpty()).isEqualTo(announcement.refusal().isEmpty());
		assertThat(read.httpSocketPort()).isEqualTo(announcement.httpSocketPort());
		assertThat(read.httpSocketAddress()).isEqualTo(announcement.httpSocketAddress());
		assertThat(read.ticket()).isEqualTo(announcement.ticket());
		assertThat(read.missing()).isEqualTo(announcement.missing());
	}

	PeerAnnouncement announcements(Gen gen) {
		String id = gen.text(HEX, 32);
		String host = gen.bool() ? gen.text(HEX, 32) : PeerIdentity.NO_HOST;
		Set<String> paths = Set.copyOf(gen.list(0, 2, () -> gen.one("direct", "uds")));
		String hash = gen.bool() ? "" : gen.text(HEX, 16);
		Ends ends = gen.one(Ends.values());
		return new PeerAnnouncement(new PeerIdentity(id, host), paths, hash, gen.text(0, 500))
			.withHttpSocket(gen.integer(0, 65535),
					gen.one("", "127.0.0.1", "0:0:0:0:0:0:0:1", "fe80:0:0:0:a00:27ff:fe4e:66a1"))
			.withTicket(ends.ticket)
			.withMissing(ends.missing);
	}

	/** What may end an announcement. */
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
			// What a stranger wrote must not forge lines in a log.
			assertThat(ex).hasMessageContaining(PeerAnnouncement.HEADER);
			assertThat(ex.getMessage()).matches("[ -~]*");
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			v=2; i=0123456789abcdef0123456789abcdef; h=; p=uds   | version is not 1
			i=0123456789abcdef0123456789abcdef; h=; p=uds        | version is not 1
			v=1; h=; p=uds                                       | no field 'i'
			v=1; i=xyz; h=; p=uds                                | 32 hexadecimal digits
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; p=  | stands twice
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; c=1 | 16 hexadecimal digits
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; u=x | is not a port
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; u=70000 | from 0 to 65535
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; u=80; a=evil.example | An IP address has digits
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; t=x | A ticket has 16 to 32
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=shm | a path without a reason
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=shm:/dev/shm/me | something else than words
			v=1; i=0123456789abcdef0123456789abcdef; h=; p=; n=a:b,a:b,a:b,a:b,a:b,a:b,a:b,a:b,a:b | more than 8 paths
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

}
