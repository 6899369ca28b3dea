package io.github.vicinal.benchmarks.shm;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.channel.EventLoopGroup;

/**
 * gRPC over a unix domain socket: unary calls of bytes, so that no codec costs anything;
 * one channel for all callers and gRPC's own executors, as applications have them.
 */
final class GrpcTransport implements Transport {

	private static final String FILE = "grpc.sock";

	private static final int MAX_BYTES = 1 << 22;

	private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.<byte[], byte[]>newBuilder()
		.setType(MethodDescriptor.MethodType.UNARY)
		.setFullMethodName("vicinal.Echo/echo")
		.setRequestMarshaller(new Bytes())
		.setResponseMarshaller(new Bytes())
		.build();

	@Override
	public AutoCloseable serve(Path directory) throws IOException {
		EventLoopGroup loops = NettyTransport.eventLoops();
		Server server = NettyServerBuilder.forAddress(NettyTransport.address(directory.resolve(FILE)))
			.channelType(NettyTransport.serverChannelType())
			.bossEventLoopGroup(loops)
			.workerEventLoopGroup(loops)
			.maxInboundMessageSize(MAX_BYTES)
			.addService(ServerServiceDefinition.builder("vicinal.Echo")
				.addMethod(ECHO, ServerCalls.asyncUnaryCall((request, responses) -> {
					Work.run(request);
					responses.onNext(request);
					responses.onCompleted();
				}))
				.build())
			.build()
			.start();
		return server::shutdownNow;
	}

	@Override
	public Client connect(Path directory) {
		EventLoopGroup loops = NettyTransport.eventLoops();
		ManagedChannel channel = NettyChannelBuilder.forAddress(NettyTransport.address(directory.resolve(FILE)))
			.channelType(NettyTransport.channelType())
			.eventLoopGroup(loops)
			.maxInboundMessageSize(MAX_BYTES)
			.usePlaintext()
			.build();
		return new Client() {

			@Override
			public Caller caller(int number) {
				return (body) -> ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, body).length;
			}

			@Override
			public void close() throws Exception {
				channel.shutdownNow();
				loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
			}

		};
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
