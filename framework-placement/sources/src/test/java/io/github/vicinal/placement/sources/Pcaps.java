package io.github.vicinal.placement.sources;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes captures as tcpdump does. */
final class Pcaps {

	static final int ETHERNET = 1;

	static final int COOKED = 113;

	static final int COOKED2 = 276;

	static final int RAW = 101;

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	private final ByteOrder order;

	private final boolean nanos;

	private final int linkType;

	private int identification;

	Pcaps(ByteOrder order, boolean nanos, int linkType) {
		this.order = order;
		this.nanos = nanos;
		this.linkType = linkType;
		ByteBuffer header = ByteBuffer.allocate(24).order(order);
		header.putInt(nanos ? 0xa1b23c4d : 0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
		header.putInt(0).putInt(0).putInt(262_144).putInt(linkType);
		this.bytes.writeBytes(header.array());
	}

	/** A TCP segment; flags 0x02 open a connection. */
	Pcaps tcp(double seconds, String from, int fromPort, String to, int toPort, int flags, int payload) {
		this.identification++;
		return again(seconds, from, fromPort, to, toPort, flags, payload);
	}

	/** The packet before, seen once more. */
	Pcaps again(double seconds, String from, int fromPort, String to, int toPort, int flags, int payload) {
		boolean six = from.contains(":");
		int ip = six ? 40 : 20;
		int link = linkHeader();
		ByteBuffer packet = ByteBuffer.allocate(link + ip + 20 + payload);
		int type = six ? 0x86dd : 0x0800;
		switch (this.linkType) {
			case ETHERNET -> packet.putShort(12, (short) type);
			case COOKED -> packet.putShort(14, (short) type);
			case COOKED2 -> packet.putShort(0, (short) type);
			default -> {
			}
		}
		if (six) {
			packet.put(link, (byte) 0x60).putShort(link + 4, (short) (20 + payload)).put(link + 6, (byte) 6);
			packet.put(link + 8, address(from)).put(link + 24, address(to));
		}
		else {
			packet.put(link, (byte) 0x45).putShort(link + 2, (short) (40 + payload)).put(link + 9, (byte) 6);
			packet.putShort(link + 4, (short) this.identification);
			packet.put(link + 12, address(from)).put(link + 16, address(to));
		}
		int tcp = link + ip;
		packet.putShort(tcp, (short) fromPort).putShort(tcp + 2, (short) toPort).putInt(tcp + 4, this.identification);
		packet.put(tcp + 12, (byte) 0x50).put(tcp + 13, (byte) flags);
		record(seconds, packet.array(), packet.capacity());
		return this;
	}

	/** A UDP datagram of raw IP, as Linux sends it: with the identification 0. */
	Pcaps udp(double seconds, String from, int fromPort, String to, int toPort, String payload) {
		byte[] content = payload.getBytes(StandardCharsets.US_ASCII);
		ByteBuffer packet = ByteBuffer.allocate(28 + content.length);
		packet.put((byte) 0x45).putShort(2, (short) packet.capacity()).put(9, (byte) 17);
		packet.put(12, address(from)).put(16, address(to));
		packet.putShort(20, (short) fromPort).putShort(22, (short) toPort);
		packet.putShort(24, (short) (8 + content.length)).putShort(26, (short) 0x1234).put(28, content);
		record(seconds, packet.array(), packet.capacity());
		return this;
	}

	private int linkHeader() {
		return switch (this.linkType) {
			case ETHERNET -> 14;
			case COOKED -> 16;
			case COOKED2 -> 20;
			default -> 0;
		};
	}

	private static byte[] address(String text) {
		try {
			return java.net.InetAddress.getByName(text).getAddress();
		}
		catch (java.net.UnknownHostException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	Pcaps record(double seconds, byte[] captured, int length) {
		ByteBuffer header = ByteBuffer.allocate(16).order(this.order);
		long whole = (long) seconds;
		header.putInt((int) whole).putInt((int) Math.round((seconds - whole) * (this.nanos ? 1e9 : 1e6)));
		header.putInt(captured.length).putInt(length);
		this.bytes.writeBytes(header.array());
		this.bytes.writeBytes(captured);
		return this;
	}

	byte[] bytes() {
		return this.bytes.toByteArray();
	}

}
