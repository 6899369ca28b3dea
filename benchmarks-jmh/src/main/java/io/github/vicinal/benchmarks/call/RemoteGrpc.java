package io.github.vicinal.benchmarks.call;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/**
 * gRPC-java over TCP: unary calls of bytes, so that no codec costs anything; one channel
 * for all callers and gRPC's own executors, as applications have them. TLS is the JDK's,
 * as it is of the path {@code tcp}.
 */
final class RemoteGrpc {

	private static final int MAX_BYTES = 1 << 22;

	private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.<byte[], byte[]>newBuilder()
		.setType(MethodDescriptor.MethodType.UNARY)
		.setFullMethodName("vicinal.Echo/echo")
		.setRequestMarshaller(new Bytes())
		.setResponseMarshaller(new Bytes())
		.build();

	private RemoteGrpc() {
	}

	static Server serve(@Nullable RemoteKeys keys) throws IOException, GeneralSecurityException {
		NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(0))
			.maxInboundMessageSize(MAX_BYTES)
			.addService(ServerServiceDefinition.builder("vicinal.Echo")
				.addMethod(ECHO, ServerCalls.asyncUnaryCall((request, responses) -> {
					responses.onNext(request);
					responses.onCompleted();
				}))
				.build());
		if (keys != null) {
			builder.sslContext(GrpcSslContexts.configure(SslContextBuilder.forServer(keys.keys()), SslProvider.JDK)
				.trustManager(keys.trust())
				.clientAuth(ClientAuth.REQUIRE)
				.build());
		}
		return builder.build().start();
	}

	static ManagedChannel connect(String host, int port, @Nullable RemoteKeys keys)
			throws IOException, GeneralSecurityException {
		NettyChannelBuilder builder = NettyChannelBuilder.forAddress(new InetSocketAddress(host, port))
			.maxInboundMessageSize(MAX_BYTES);
		if (keys == null) {
			return builder.usePlaintext().build();
		}
		return builder.negotiationType(NegotiationType.TLS)
			.overrideAuthority(host)
			.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
				.keyManager(keys.keys())
				.trustManager(keys.trust())
				.build())
			.build();
	}

	static byte[] call(ManagedChannel channel, byte[] body) {
		return ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, body);
	}

	private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

		@Override
		public InputStream stream(byte[] value) {
			return new ByteArrayInputStream(value);
		}

		@Override
		public byte[] parse(InputStream stream) {
			try {
				return stream.readAllBytes();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
