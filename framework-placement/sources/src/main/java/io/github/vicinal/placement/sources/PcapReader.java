package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Reads the file format of tcpdump (RFC draft "PCAP Capture File Format"): both byte
 * orders, micro- and nanoseconds, and of the link layers Ethernet, Linux cooked captures
 * (1 and 2), loopback and raw IP. Of a packet only lengths, addresses and ports are
 * looked at.
 */
final class PcapReader {

	/** The most of one packet that a file may hold. */
	private static final int MAX_CAPTURED = 1 << 20;

	private static final int MICROS = 0xa1b2c3d4;

	private static final int NANOS = 0xa1b23c4d;

	private static final int PCAPNG = 0x0a0d0d0a;

	private static final int IPV4 = 0x0800;

	private static final int IPV6 = 0x86dd;

	private static final int VLAN = 0x8100;

	private static final int VLANS = 0x88a8;

	/** Header of IPv6 that a fragment has. */
	private static final int FRAGMENT = 44;

	private static final int TCP = 6;

	private static final int UDP = 17;

	private final InputStream in;

	private final String name;

	private final ByteOrder order;

	private final boolean nanos;

	private final int linkType;

	private long offset;

	private long packets;

	private long skipped;

	private String truncation = "";

	private byte[] buffer = new byte[1 << 16];

	/**
	 * A TCP segment or UDP datagram.
	 *
	 * @param nanos when it was captured, since 1970
	 * @param source address that sent it
	 * @param sourcePort its port
	 * @param target address that it is for
	 * @param targetPort its port
	 * @param wireBytes its length with all headers, as it was on the wire
	 * @param payloadBytes what it carries
	 * @param opens whether it opens a connection
	 * @param identity the same for the same packet on another interface
	 */
	record Segment(long nanos, String source, int sourcePort, String target, int targetPort, int wireBytes,
			int payloadBytes, boolean opens, long identity) {
	}

	PcapReader(InputStream in, String name) throws IOException {
		this.in = in;
		this.name = name;
		byte[] header = new byte[24];
		int read = in.readNBytes(header, 0, header.length);
		if (read == 0) {
			throw new IOException("%s is empty: nothing was captured, or tcpdump still runs".formatted(name));
		}
		int magic = (read >= 4) ? ByteBuffer.wrap(header).getInt(0) : 0;
		if (magic == PCAPNG) {
			throw new IOException(
					"%s is a pcapng file; convert it with 'editcap -F pcap %s out.pcap'".formatted(name, name));
		}
		if (magic == 0x1f8b0800 || (magic >>> 16) == 0x1f8b) {
			throw new IOException("%s is compressed; unpack it with gunzip".formatted(name));
		}
		if (magic == MICROS || magic == NANOS) {
			this.order = ByteOrder.BIG_ENDIAN;
		}
		else if (Integer.reverseBytes(magic) == MICROS || Integer.reverseBytes(magic) == NANOS) {
			this.order = ByteOrder.LITTLE_ENDIAN;
			magic = Integer.reverseBytes(magic);
		}
		else {
			throw new IOException("%s is no capture of tcpdump: it begins with %08x".formatted(name, magic));
		}
		if (read < header.length) {
			throw new IOException(
					"%s is truncated: its header has %d of 24 bytes. Capture again".formatted(name, read));
		}
		this.nanos = magic == NANOS;
		this.linkType = ByteBuffer.wrap(header).order(this.order).getInt(20) & 0x0fffffff;
		this.offset = header.length;
		if (!Arrays.asList(0, 1, 12, 14, 101, 108, 113, 228, 229, 276).contains(this.linkType)) {
			throw new IOException(
					"%s has the link layer %d; Ethernet (1), Linux cooked (113, 276), loopback (0, 108) and raw IP (101, 228, 229) are read"
						.formatted(name, this.linkType));
		}
	}

	/** Returns why the file is not read to its end, empty if it is. */
	String truncation() {
		return this.truncation;
	}

	/** Returns the number of packets that were not looked at. */
	long skipped() {
		return this.skipped;
	}

	/** Returns the next segment, or {@code null} at the end. */
	@Nullable Segment next() throws IOException {
		while (true) {
			byte[] header = new byte[16];
			int read = this.in.readNBytes(header, 0, header.length);
			if (read == 0) {
				return null;
			}
			if (read < header.length) {
				this.truncation = "truncated at byte %d, within the header of packet %d; those before it count"
					.formatted(this.offset + read, this.packets + 1);
				return null;
			}
			ByteBuffer fields = ByteBuffer.wrap(header).order(this.order);
			long seconds = fields.getInt(0) & 0xffffffffL;
			long fraction = fields.getInt(4) & 0xffffffffL;
			int captured = fields.getInt(8);
			int length = fields.getInt(12);
			if (captured < 0 || captured > MAX_CAPTURED || length < 0) {
				throw new IOException(
						"%s is damaged at byte %d: packet %d claims to have %d bytes; at most %d are possible. Capture again"
							.formatted(this.name, this.offset, this.packets + 1, captured & 0xffffffffL, MAX_CAPTURED));
			}
			this.offset += header.length;
			if (captured > this.buffer.length) {
				this.buffer = new byte[captured];
			}
			read = this.in.readNBytes(this.buffer, 0, captured);
			if (read < captured) {
				this.truncation = "truncated at byte %d, within packet %d; those before it count"
					.formatted(this.offset + read, this.packets + 1);
				return null;
			}
			this.offset += captured;
			this.packets++;
			long time = seconds * 1_000_000_000L + (this.nanos ? fraction : fraction * 1000);
			Segment segment = segment(ByteBuffer.wrap(this.buffer, 0, captured), time, Math.max(length, captured));
			if (segment != null) {
				return segment;
			}
			this.skipped++;
		}
	}

	private @Nullable Segment segment(ByteBuffer packet, long time, int length) {
		int at = 0;
		int type;
		switch (this.linkType) {
			case 1 -> {
				at = 14;
				type = unsignedShort(packet, 12);
				for (int i = 0; i < 2 && (type == VLAN || type == VLANS); i++) {
					type = unsignedShort(packet, at + 2);
					at += 4;
				}
			}
			case 113 -> {
				at = 16;
				type = unsignedShort(packet, 14);
			}
			case 276 -> {
				at = 20;
				type = unsignedShort(packet, 0);
			}
			case 0, 108 -> {
				at = 4;
				type = version(packet, at);
			}
			default -> type = version(packet, at);
		}
		return (type == IPV4) ? ipv4(packet, at, time, length) : (type == IPV6) ? ipv6(packet, at, time, length) : null;
	}

	private static int version(ByteBuffer packet, int at) {
		return (at >= packet.limit()) ? 0 : switch ((packet.get(at) & 0xf0) >> 4) {
			case 4 -> IPV4;
			case 6 -> IPV6;
			default -> 0;
		};
	}

	private static int unsignedShort(ByteBuffer packet, int at) {
		return (at + 2 <= packet.limit()) ? packet.getShort(at) & 0xffff : -1;
	}

	private static @Nullable Segment ipv4(ByteBuffer packet, int at, long time, int length) {
		if (at + 20 > packet.limit()) {
			return null;
		}
		int header = (packet.get(at) & 0xf) * 4;
		int total = unsignedShort(packet, at + 2);
		// Segmentation offload leaves the length at 0; what was captured says it then.
		int body = ((total == 0) ? length - at : total) - header;
		boolean fragment = (unsignedShort(packet, at + 6) & 0x1fff) != 0;
		if (header < 20 || body < 0 || fragment) {
			return null;
		}
		return transport(packet, at + header, packet.get(at + 9) & 0xff, body, address(packet, at + 12, 4),
				address(packet, at + 16, 4), time, length, unsignedShort(packet, at + 4));
	}

	private static @Nullable Segment ipv6(ByteBuffer packet, int at, long time, int length) {
		if (at + 40 > packet.limit()) {
			return null;
		}
		int body = unsignedShort(packet, at + 4);
		int next = packet.get(at + 6) & 0xff;
		int header = 40;
		if (body == 0) {
			body = length - at - header;
		}
		// Hop-by-hop options, routing, a fragment and destination options may stand in
		// between. Only the first fragment has ports.
		for (int i = 0; i < 5 && (next == 0 || next == 43 || next == FRAGMENT || next == 60); i++) {
			if (at + header + 4 > packet.limit()
					|| (next == FRAGMENT && (unsignedShort(packet, at + header + 2) & 0xfff8) != 0)) {
				return null;
			}
			int extension = (next == FRAGMENT) ? 8 : 8 * ((packet.get(at + header + 1) & 0xff) + 1);
			next = packet.get(at + header) & 0xff;
			header += extension;
			body -= extension;
		}
		return (body < 0) ? null : transport(packet, at + header, next, body, address(packet, at + 8, 16),
				address(packet, at + 24, 16), time, length, 0);
	}

	private static String address(ByteBuffer packet, int at, int bytes) {
		byte[] address = new byte[bytes];
		packet.get(at, address);
		try {
			return InetAddress.getByAddress(address).getHostAddress();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static @Nullable Segment transport(ByteBuffer packet, int at, int protocol, int body, String source,
			String target, long time, int length, int identification) {
		if ((protocol != TCP && protocol != UDP) || at + 8 > packet.limit()) {
			return null;
		}
		int sourcePort = unsignedShort(packet, at);
		int targetPort = unsignedShort(packet, at + 2);
		int header = 8;
		boolean opens = false;
		long sequence = 0;
		if (protocol == TCP) {
			if (at + 14 > packet.limit()) {
				return null;
			}
			header = ((packet.get(at + 12) & 0xf0) >> 4) * 4;
			opens = (packet.get(at + 13) & 0x12) == 0x02;
			sequence = packet.getLong(at + 4);
		}
		int payload = body - header;
		if (payload < 0 || header < 8) {
			return null;
		}
		long identity = sequence * 31 + identification;
		identity = identity * 31 + source.hashCode();
		identity = identity * 31 + target.hashCode();
		identity = identity * 31 + sourcePort * 65_536L + targetPort;
		identity = identity * 31 + payload;
		identity = identity * 31 + ((protocol == TCP) ? packet.get(at + 13) : content(packet, at));
		return new Segment(time, source, sourcePort, target, targetPort, length, payload, opens, identity);
	}

	/**
	 * Returns a hash of what a datagram carries. Its checksum would be the same for all
	 * datagrams of a length where the network card computes it, and Linux gives many of
	 * them the identification 0.
	 */
	private static int content(ByteBuffer packet, int at) {
		int end = Math.max(at + 8, Math.min(packet.limit(), at + unsignedShort(packet, at + 4)));
		return (end > at + 8) ? packet.slice(at + 8, end - at - 8).hashCode() : unsignedShort(packet, at + 6);
	}

}
