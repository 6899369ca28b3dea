package io.github.vicinal.placement.sources;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class PcapSourceTests {

	private static final Map<String, String> NAMES = Map.of("10.0.0.1", "shop", "10.0.0.2", "orders", "[fd00::1]:80",
			"front", "fd00::2", "db", "127.0.0.1:8080", "local");

	private static final int SYN = 0x02;

	private static final int ACK = 0x10;

	@TempDir
	Path directory = Path.of("");

	private Traffic read(byte[] bytes) throws IOException {
		Path file = this.directory.resolve("dump.pcap");
		Files.write(file, bytes);
		return new PcapSource(file, NAMES).observe();
	}

	private static Pcaps conversation(ByteOrder order, boolean nanos, int linkType) {
		return new Pcaps(order, nanos, linkType).tcp(100, "10.0.0.1", 40_000, "10.0.0.2", 80, SYN, 0)
			.tcp(100.1, "10.0.0.2", 80, "10.0.0.1", 40_000, SYN | ACK, 0)
			.tcp(100.2, "10.0.0.1", 40_000, "10.0.0.2", 80, ACK, 500)
			.tcp(110, "10.0.0.2", 80, "10.0.0.1", 40_000, ACK, 1500);
	}

	@ParameterizedTest
	@CsvSource({ "1,true,true,14", "1,false,false,14", "113,true,false,16", "276,false,true,20", "101,true,true,0" })
	void bytesOfBothDirectionsBelongToTheCaller(int linkType, boolean big, boolean nanos, int link) throws IOException {
		Traffic traffic = read(
				conversation(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN, nanos, linkType).bytes());
		assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.from()).isEqualTo("shop");
			assertThat(edge.to()).isEqualTo("orders");
			assertThat(edge.callsPerSecond()).isNull();
			assertThat(edge.applicationBytesPerSecond()).isCloseTo(200, within(1e-6));
			assertThat(edge.wireBytesPerSecond()).isCloseTo((2000 + 4 * (40 + link)) / 10.0, within(1e-6));
			assertThat(edge.hopBytesPerSecond()).isEqualTo(edge.wireBytesPerSecond());
			assertThat(edge.evidence().samples()).isEqualTo(4);
			assertThat(edge.evidence().partial()).isFalse();
		});
	}

	@Test
	void aPacketOnTwoInterfacesIsOnePacketOfTwoHops() throws IOException {
		byte[] bytes = new Pcaps(ByteOrder.LITTLE_ENDIAN, false, Pcaps.COOKED2)
			.tcp(1, "10.0.0.1", 40_000, "10.0.0.2", 80, SYN, 0)
			.again(1.00001, "10.0.0.1", 40_000, "10.0.0.2", 80, SYN, 0)
			.tcp(2, "10.0.0.1", 40_000, "10.0.0.2", 80, ACK, 100)
			.again(2.00001, "10.0.0.1", 40_000, "10.0.0.2", 80, ACK, 100)
			.bytes();
		Edge edge = read(bytes).edges().get(0);
		assertThat(edge.evidence().samples()).isEqualTo(2);
		assertThat(edge.hopBytesPerSecond()).isCloseTo(2 * edge.wireBytesPerSecond(), within(1e-6));
	}

	/**
	 * Without an identification, and with the checksum that the network card computes.
	 */
	@Test
	void datagramsOfOneLengthAreDifferentPackets() throws IOException {
		Pcaps capture = new Pcaps(ByteOrder.LITTLE_ENDIAN, false, Pcaps.RAW);
		for (int i = 0; i <= 100; i++) {
			capture.udp(100 + i / 100.0, "10.0.0.1", 40_000, "10.0.0.2", 80, "datagram %03d".formatted(i));
		}
		capture.udp(101, "10.0.0.1", 40_000, "10.0.0.2", 80, "datagram 100");
		assertThat(read(capture.bytes()).edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.applicationBytesPerSecond()).isCloseTo(12 * 101, within(1e-6));
			assertThat(edge.wireBytesPerSecond()).isCloseTo(40 * 101, within(1e-6));
			assertThat(edge.hopBytesPerSecond()).isCloseTo(40 * 102, within(1e-6));
		});
	}

	@Test
	void theFirstFragmentOfIpv6HasPorts() throws IOException {
		Pcaps capture = new Pcaps(ByteOrder.LITTLE_ENDIAN, false, Pcaps.RAW);
		for (int i = 0; i < 2; i++) {
			ByteBuffer packet = ByteBuffer.allocate(40 + 8 + 8 + 100);
			packet.put((byte) 0x60).putShort(4, (short) 116).put(6, (byte) 44);
			packet.put(8, (byte) 0xfd).put(23, (byte) 1).put(24, (byte) 0xfd).put(39, (byte) 2);
			packet.put(40, (byte) 17).putShort(42, (short) (i * 128));
			packet.putShort(48, (short) 80).putShort(50, (short) 5432).putShort(52, (short) 208);
			capture.record(100 + i, packet.array(), packet.capacity());
		}
		Traffic traffic = read(capture.bytes());
		assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.applicationBytesPerSecond()).isNotNull();
			assertThat(edge.evidence().samples()).isEqualTo(1);
		});
		assertThat(traffic.notSeen()).singleElement().asString().startsWith("1 packets are neither");
	}

	@ParameterizedTest
	@CsvSource({ "0", "4000000000" })
	void aClockThatJumpsDoesNotChangeTheRates(double jump) throws IOException {
		Traffic traffic = read(conversation(ByteOrder.LITTLE_ENDIAN, false, Pcaps.ETHERNET)
			.tcp(jump, "10.0.0.1", 40_000, "10.0.0.2", 80, ACK, 0)
			.bytes());
		assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.applicationBytesPerSecond()).isCloseTo(200, within(1e-6));
			assertThat(edge.evidence().partial()).isTrue();
			assertThat(edge.evidence().note()).contains("clock jumped");
		});
		assertThat(traffic.notSeen()).singleElement().asString().contains("the clock jumps between packets, 1 time;");
	}

	@Test
	void theCallerOfAnOlderConnectionIsTakenFromThePorts() throws IOException {
		byte[] bytes = new Pcaps(ByteOrder.LITTLE_ENDIAN, false, Pcaps.ETHERNET)
			.tcp(1, "fd00::1", 80, "fd00::2", 50_000, ACK, 10)
			.tcp(3, "10.9.9.9", 1234, "10.0.0.1", 80, ACK, 77)
			.bytes();
		Traffic traffic = read(bytes);
		assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.from()).isEqualTo("db");
			assertThat(edge.to()).isEqualTo("front");
			assertThat(edge.evidence().partial()).isTrue();
			assertThat(edge.evidence().note()).contains("before the capture");
		});
		assertThat(traffic.notSeen()).singleElement().asString().contains("10.9.9.9 has no name");
	}

	@Test
	void aTruncatedFileCountsAsFarAsItGoesAndSaysSo() throws IOException {
		byte[] bytes = conversation(ByteOrder.LITTLE_ENDIAN, false, Pcaps.ETHERNET).bytes();
		Traffic traffic = read(Arrays.copyOf(bytes, bytes.length - 100));
		assertThat(traffic.edges().get(0).evidence().partial()).isTrue();
		assertThat(traffic.notSeen()).singleElement()
			.asString()
			.contains("dump.pcap", "truncated at byte " + (bytes.length - 100), "packet 4");
	}

	@Test
	void aFileThatIsNoCaptureIsNamed() {
		assertThatThrownBy(() -> read(new byte[] { 0x0a, 0x0d, 0x0d, 0x0a, 1, 2, 3, 4 }))
			.hasMessageContaining("editcap -F pcap");
		assertThatThrownBy(() -> read(new byte[] { 0x1f, (byte) 0x8b, 8, 0 })).hasMessageContaining("gunzip");
		assertThatThrownBy(() -> read("GET / HTTP/1.1\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
			.hasMessageContaining("no capture of tcpdump");
		assertThatThrownBy(
				() -> read(Arrays.copyOf(new Pcaps(ByteOrder.BIG_ENDIAN, false, Pcaps.ETHERNET).bytes(), 10)))
			.hasMessageContaining("10 of 24 bytes");
		assertThatThrownBy(() -> read(new Pcaps(ByteOrder.BIG_ENDIAN, false, 105).bytes()))
			.hasMessageContaining("link layer 105");
		assertThatThrownBy(() -> read(new Pcaps(ByteOrder.BIG_ENDIAN, false, Pcaps.ETHERNET).bytes()))
			.hasMessageContaining("no packets between two services");
	}

	@Test
	void namesAreReadLineByLine() throws IOException {
		Path file = this.directory.resolve("names");
		Files.writeString(file, "# containers\n10.0.0.7 orders\n\n[FD00::1]:80  front # web\n");
		assertThat(PcapSource.names(file)).containsEntry("10.0.0.7", "orders").containsEntry("[fd00::1]:80", "front");
		Files.writeString(file, "10.0.0.7 orders\n10.0.0.8\n");
		assertThatThrownBy(() -> PcapSource.names(file)).hasMessageContaining("line 2")
			.hasMessageContaining("10.0.0.8");
	}

	/** One of two names would be lost, and packets have no names of hosts. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "10.0.0.7 stock|'10.0.0.7' is 'orders' in line 1, and 'stock' here",
					"[FD00:0::1]:80 stock|'[FD00:0::1]:80' is 'front' in line 2, and 'stock' here",
					"10.0.0.300 stock|'10.0.0.300' is no address",
					"10.0.0.8:70000 stock|'10.0.0.8:70000' is no address",
					"stock.local stock|'stock.local' is no address", "fd00::1::2 stock|'fd00::1::2' is no address" })
	void namesThatCannotBeMeantAreRefused(String line, String message) throws IOException {
		Path file = this.directory.resolve("names");
		Files.writeString(file, "10.0.0.7 orders\n[fd00::1]:80 front\n10.0.0.7 orders\n" + line + "\n");
		assertThatThrownBy(() -> PcapSource.names(file)).isInstanceOf(IOException.class)
			.hasMessageContaining("line 4")
			.hasMessageContaining(message);
	}

	@Test
	void anEmptyFileIsSaidToBeEmpty() {
		assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(IOException.class)
			.hasMessageContaining("dump.pcap is empty");
	}

	@Property(tries = 2000)
	void anyBytesEndInSegmentsOrAnIoError(@ForAll byte[] noise, @ForAll @IntRange(max = 100_000) int at,
			@ForAll @IntRange(max = 300) int cut, @ForAll boolean cooked) throws IOException {
		byte[] bytes = conversation(ByteOrder.LITTLE_ENDIAN, true, cooked ? Pcaps.COOKED2 : Pcaps.ETHERNET).bytes();
		for (int i = 0; i < noise.length; i++) {
			bytes[Math.floorMod(at + 13 * i, bytes.length)] = noise[i];
		}
		try {
			PcapReader reader = new PcapReader(new ByteArrayInputStream(bytes, 0, Math.max(0, bytes.length - cut)),
					"noise");
			PcapReader.Segment segment;
			int count = 0;
			while ((segment = reader.next()) != null) {
				assertThat(segment.payloadBytes()).isNotNegative();
				assertThat(segment.wireBytes()).isPositive();
				count++;
			}
			assertThat(count).isLessThanOrEqualTo(bytes.length / 16);
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageContaining("noise");
		}
	}

}
