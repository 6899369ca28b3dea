package io.github.vicinal.transport.tcp;

import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

import io.github.vicinal.transport.wire.WireException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why a TLS handshake failed.
 *
 * @param kind what was wrong
 * @param byPeer whether the other side refused, so that this side is at fault
 * @param detail words of the JDK, for people
 */
record HandshakeFailure(Kind kind, boolean byPeer, String detail) {

	/** Ends the message of an exception. Newer JDKs have the alert before it, too. */
	private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)$");

	/** Meaning of an alert for the certificate of its receiver. */
	private static final Map<String, Kind> ALERTS = Map.of("certificate_required", Kind.CERTIFICATE_MISSING,
			"bad_certificate", Kind.CERTIFICATE_MISSING, "certificate_expired", Kind.CERTIFICATE_EXPIRED,
			"certificate_unknown", Kind.CERTIFICATE_REFUSED, "unknown_ca", Kind.CERTIFICATE_REFUSED,
			"certificate_revoked", Kind.CERTIFICATE_REFUSED, "unsupported_certificate", Kind.CERTIFICATE_REFUSED);

	private static final int MAX_CAUSES = 10;

	/** Finds the cause that says most. */
	static HandshakeFailure of(Throwable failure) {
		HandshakeFailure found = null;
		Throwable cause = failure;
		for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
			HandshakeFailure next = classify(cause);
			if (next != null && (found == null || next.kind.compareTo(found.kind) < 0)) {
				found = next;
			}
			cause = cause.getCause();
		}
		return (found != null) ? found : new HandshakeFailure(Kind.OTHER, false, text(failure));
	}

	private static @Nullable HandshakeFailure classify(Throwable cause) {
		String text = text(cause);
		Matcher alert = ALERT.matcher(text);
		if (alert.find()) {
			return new HandshakeFailure(ALERTS.getOrDefault(alert.group(1), Kind.OTHER), true, alert.group());
		}
		Kind kind = kind(cause, text);
		return (kind != null) ? new HandshakeFailure(kind, false, text) : null;
	}

	private static @Nullable Kind kind(Throwable cause, String text) {
		if (cause instanceof NotSslRecordException) {
			return Kind.PLAINTEXT;
		}
		if (cause instanceof SslHandshakeTimeoutException) {
			return Kind.TIMEOUT;
		}
		if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
			return Kind.CERTIFICATE_EXPIRED;
		}
		if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
			return Kind.CERTIFICATE_UNTRUSTED;
		}
		if (cause instanceof CertificateException
				&& (text.contains("subject alternative") || text.contains("No name matching"))) {
			return Kind.CERTIFICATE_ADDRESS;
		}
		if (cause instanceof SSLHandshakeException && text.contains("Empty client certificate chain")) {
			return Kind.CERTIFICATE_MISSING;
		}
		if (cause instanceof ClosedChannelException
				|| (cause instanceof SSLException && text.contains("Connection closed"))) {
			return Kind.CLOSED;
		}
		return null;
	}

	/**
	 * Checks the dates of the certificate of the other side. The JDK does not check those
	 * of a certificate that is itself in the trust store.
	 * @return the failure, {@code null} if there is none
	 */
	static @Nullable HandshakeFailure expired(SSLSession session) {
		X509Certificate certificate = certificate(session);
		try {
			if (certificate != null) {
				certificate.checkValidity();
			}
			return null;
		}
		catch (CertificateException ex) {
			return new HandshakeFailure(Kind.CERTIFICATE_EXPIRED, false, text(ex));
		}
	}

	/** Returns the name in the certificate of the other side, empty if it has none. */
	static String subject(SSLSession session) {
		X509Certificate certificate = certificate(session);
		return (certificate != null) ? WireException.printable(certificate.getSubjectX500Principal().getName()) : "";
	}

	private static @Nullable X509Certificate certificate(SSLSession session) {
		try {
			return (session.getPeerCertificates()[0] instanceof X509Certificate known) ? known : null;
		}
		catch (SSLPeerUnverifiedException ex) {
			return null;
		}
	}

	private static String text(Throwable cause) {
		String message = cause.getMessage();
		return WireException.printable((message != null) ? message : cause.toString());
	}

	/**
	 * Explains why a client could not connect, and what to do.
	 * @param peer the peer, with its address
	 * @param bundle the bundle of this client
	 */
	String toClient(String peer, String bundle) {
		return switch (this.kind) {
			case PLAINTEXT -> ("%s answers without TLS, but this side has vicinal.tcp.ssl.bundle=%s; set "
					+ "vicinal.tcp.ssl.bundle at the peer, too")
				.formatted(peer, bundle);
			case CERTIFICATE_EXPIRED -> this.byPeer ? refused(peer, bundle)
					: "the certificate of %s is outside its dates (%s); renew it there".formatted(peer, this.detail);
			case CERTIFICATE_UNTRUSTED -> ("no authority that the SSL bundle '%s' trusts has issued the certificate of "
					+ "%s; add its authority to the trust store of the bundle")
				.formatted(bundle, peer);
			case CERTIFICATE_ADDRESS -> ("the certificate of %s is not for that address (%s); issue one with the "
					+ "address among its subject alternative names, or set vicinal.tcp.ssl.verify-hostname=false")
				.formatted(peer, this.detail);
			case CERTIFICATE_MISSING -> ("%s asks for a certificate of an authority that it trusts, and the SSL bundle "
					+ "'%s' has none; add a key to the bundle, or set vicinal.tcp.ssl.client-auth=want at the peer")
				.formatted(peer, bundle);
			case CERTIFICATE_REFUSED -> refused(peer, bundle);
			case TIMEOUT -> "%s did not complete the TLS handshake in time (%s)".formatted(peer, this.detail);
			case CLOSED -> "%s closed the connection during the TLS handshake; its log may say why".formatted(peer);
			case OTHER -> other(peer);
		};
	}

	/**
	 * Explains why a server refused a client, or was refused, and what to do.
	 * @param client the client, with its address
	 * @param bundle the bundle of this server
	 */
	String toServer(String client, String bundle) {
		return switch (this.kind) {
			case PLAINTEXT -> "%s does not speak TLS; set vicinal.tcp.ssl.bundle there".formatted(client);
			case CERTIFICATE_EXPIRED -> this.byPeer ? refused(client, bundle)
					: "the certificate of %s is outside its dates (%s); renew it there".formatted(client, this.detail);
			case CERTIFICATE_UNTRUSTED,
					CERTIFICATE_ADDRESS ->
				("no authority that the SSL bundle '%s' trusts has "
						+ "issued the certificate of %s; add its authority to the trust store of the bundle")
					.formatted(bundle, client);
			case CERTIFICATE_MISSING -> this.byPeer ? refused(client, bundle)
					: ("%s has no certificate of an authority that the SSL bundle '%s' trusts; add a key to its bundle, "
							+ "or set vicinal.tcp.ssl.client-auth=want here")
						.formatted(client, bundle);
			case CERTIFICATE_REFUSED -> refused(client, bundle);
			case TIMEOUT -> "%s did not complete the TLS handshake in time (%s)".formatted(client, this.detail);
			case CLOSED -> "%s closed the connection during the TLS handshake".formatted(client);
			case OTHER -> other(client);
		};
	}

	private String other(String other) {
		return "the TLS handshake with %s failed: %s%s".formatted(other, this.detail,
				this.byPeer ? "; see the log of the other side" : "");
	}

	/** Most sides do not say what is wrong with a certificate. */
	private String refused(String other, String bundle) {
		return ("%s refused the certificate of the SSL bundle '%s' (%s); renew it if it has expired, otherwise see the "
				+ "log of the other side")
			.formatted(other, bundle, this.detail);
	}

	/** Kinds of failures; of two causes the first one says more. */
	enum Kind {

		/** The other side does not speak TLS. */
		PLAINTEXT,

		/** A certificate is outside its dates. */
		CERTIFICATE_EXPIRED,

		/** A certificate is not for the address that was dialled. */
		CERTIFICATE_ADDRESS,

		/** A certificate comes from no authority that is trusted. */
		CERTIFICATE_UNTRUSTED,

		/** A client has no certificate that the server accepts. */
		CERTIFICATE_MISSING,

		/** The other side does not accept the certificate of this side. */
		CERTIFICATE_REFUSED,

		/** The handshake took too long. */
		TIMEOUT,

		/** The other side closed the connection. */
		CLOSED,

		/** Anything else, such as no common version of TLS. */
		OTHER;

		/** Returns the value of a metric tag. */
		String id() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
