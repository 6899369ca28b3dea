package io.github.vicinal.chronicle;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.peer.ResourceLimits;
import org.slf4j.LoggerFactory;

/** A process that is asked whether it lives while it has no file descriptors left. */
final class AliveChild {

	private static final long WITHOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private AliveChild() {
	}

	/**
	 * Says how much of a processor the accepting thread took while it could not accept,
	 * in percent.
	 * @param args the directory
	 */
	public static void main(String[] args) throws Exception {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		Path directory = Path.of(args[0]);
		try (Alive alive = Alive.open(directory);
				SocketChannel before = SocketChannel.open(StandardProtocolFamily.UNIX);
				SocketChannel first = SocketChannel.open(StandardProtocolFamily.UNIX);
				SocketChannel second = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			// Classes and files that are loaded later would need descriptors.
			LoggerFactory.getLogger(AliveChild.class).warn("A line{}", ResourceLimits.remedy(new IOException("none")));
			Path socket;
			try (var sockets = Files.list(directory)) {
				socket = sockets.findFirst().orElseThrow();
			}
			UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
			before.connect(address);
			while (before.read(ByteBuffer.allocate(1)) >= 0) {
				// Until the other side has closed it.
			}
			long thread = Thread.getAllStackTraces()
				.keySet()
				.stream()
				.filter((each) -> each.getName().equals("vicinal-topic-alive"))
				.findFirst()
				.orElseThrow()
				.getId();
			// None of those below is free.
			new ProcessBuilder("prlimit", "--pid", Long.toString(ProcessHandle.current().pid()), "--nofile=3:")
				.inheritIO()
				.start()
				.waitFor();
			long used = threads.getThreadCpuTime(thread);
			long start = System.nanoTime();
			// The kernel has reserved a descriptor for the accept that waits.
			first.connect(address);
			second.connect(address);
			for (long left = WITHOUT_NANOS; left > 0; left = WITHOUT_NANOS - (System.nanoTime() - start)) {
				LockSupport.parkNanos(left);
			}
			long taken = threads.getThreadCpuTime(thread) - used;
			System.out.println(100 * taken / (System.nanoTime() - start));
		}
	}

}
