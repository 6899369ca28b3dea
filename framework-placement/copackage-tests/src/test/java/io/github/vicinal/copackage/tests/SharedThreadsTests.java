package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.copackage.Hoist;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** Work that an application does in threads that run on when it stops. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class SharedThreadsTests {

	@TempDir
	private Path directory;

	private final int one = RunningLayout.freePort();

	private final int other = RunningLayout.freePort();

	private RunningLayout start(Hoist hoist, Path jar) throws IOException {
		return RunningLayout.start(this.directory,
				Map.of("one",
						List.of("--server.port=" + this.one, "--spring.application.name=one",
								"--peer.url=http://localhost:" + this.other),
						"other",
						List.of("--server.port=" + this.other, "--spring.application.name=other",
								"--peer.url=http://localhost:" + this.one)),
				hoist, List.of("one=" + jar, "other=" + jar));
	}

	private static void await(RunningLayout running, int port, String path, String part) {
		running.await(() -> {
			try {
				return running.get(port, path).contains(part);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, "'%s' from %s".formatted(part, path));
	}

	/**
	 * Netty keeps the classes of handlers and messages for each thread. Here it is the
	 * event loop of another application, and a thread of its server, in which the stopped
	 * one was called.
	 */
	@Test
	void cachesOfNettyInThreadsOfOthersLetStoppedApplicationsGo() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("shop")
			.resource("application.properties", "management.endpoints.web.exposure.include=*")
			.source("Peers",
					"""
							package own;

							import io.github.vicinal.testapplications.stock.api.StockApi;
							import org.springframework.beans.factory.annotation.Value;
							import org.springframework.context.annotation.Bean;
							import org.springframework.context.annotation.Configuration;
							import org.springframework.web.client.RestClient;
							import org.springframework.web.client.support.RestClientAdapter;
							import org.springframework.web.service.invoker.HttpServiceProxyFactory;

							@Configuration
							public class Peers {

								@Bean
								StockApi peer(RestClient.Builder builder, @Value("${peer.url}") String url) {
									return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.baseUrl(url).build()))
										.build()
										.createClient(StockApi.class);
								}

							}
							""")
			.source("Handler", """
					package own;

					import io.netty.channel.ChannelHandlerContext;
					import io.netty.channel.SimpleChannelInboundHandler;

					public class Handler extends SimpleChannelInboundHandler<Handler.Message> {

						@Override
						protected void channelRead0(ChannelHandlerContext context, Message message) {
						}

						public static class Message {
						}

					}
					""")
			.source("Stock", """
					package own;

					import io.github.vicinal.testapplications.stock.api.StockApi;
					import io.netty.channel.embedded.EmbeddedChannel;
					import org.springframework.web.bind.annotation.RestController;

					@RestController
					public class Stock implements StockApi {

						@Override
						public Level level(String item) {
							EmbeddedChannel channel = new EmbeddedChannel(new Handler());
							channel.writeInbound(new Handler.Message());
							channel.finishAndReleaseAll();
							return new Level(item, 1, Thread.currentThread().getName());
						}

						@Override
						public String echo(String text) {
							return text;
						}

					}
					""")
			.main("""
					public static void main(String[] arguments) {
						SpringApplication.run(Main.class, arguments);
					}

					private final io.netty.util.concurrent.DefaultEventExecutor loop =
						new io.netty.util.concurrent.DefaultEventExecutor();

					@Autowired
					@Qualifier("peer")
					io.github.vicinal.testapplications.stock.api.StockApi peer;

					@GetMapping("/loop")
					String loop() throws Exception {
						return this.loop.submit(() -> this.peer.level("fig").servedBy()).get();
					}

					@GetMapping("/request")
					String request() {
						return this.peer.level("fig").servedBy();
					}

					@Bean
					AutoCloseable loopEnd() {
						return () -> this.loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
					}
					""")
			.write(this.directory, "netty");
		try (RunningLayout running = start(Hoist.KNOWN, jar)) {
			running.until("[launcher] other runs after");
			assertThat(this.directory.resolve("layout/shared")).isDirectoryContaining("glob:**/netty-common-*.jar")
				.isDirectoryContaining("glob:**/vicinal-transport-local-*.jar");
			for (int i = 0; i < 2; i++) {
				// Called in the thread of its caller.
				await(running, this.other, "/loop", "defaultEventExecutor");
				await(running, this.other, "/request", "http-nio-" + this.other);
				assertThat(running.command("restart one")).contains("running");
			}
			// A channel keeps the one that it has called until its next call.
			await(running, this.other, "/loop", "defaultEventExecutor");
			running.awaitLoaders(2);
			assertThat(running.log()).doesNotContain("runs on", "cannot be looked for");
		}
	}

	/** The JDK has one for all, whose threads end for nobody. */
	@Test
	void workInTheCommonPoolIsSeenByTheNameOfItsApplication() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", "paint.color=red")
			.main("""
					static final CountDownLatch END = new CountDownLatch(1);

					public static void main(String[] arguments) {
						SpringApplication.run(Main.class, arguments);
					}

					@GetMapping("/work")
					void work() {
						ForkJoinPool.commonPool().execute(Main::spin);
					}

					private static void spin() {
						while (END.getCount() > 0) {
							Thread.onSpinWait();
						}
					}

					@GetMapping("/end")
					void end() {
						END.countDown();
					}
					""")
			.write(this.directory, "pool");
		try (RunningLayout running = start(Hoist.STATELESS, jar)) {
			running.until("[launcher] other runs after");
			running.get(this.one, "/work");
			// The launcher looks at the counters once a second.
			running.await(() -> cpuSeconds(running, "one") > cpuSeconds(running, "other") + 2,
					"CPU time of the one that works");
			assertThat(command(running, "threads one")).contains("ForkJoinPool.commonPool-worker-")
				.contains("at one//own.Main.spin(Main.java")
				.contains("threads of the JVM that work for it now", "[ForkJoinPool.commonPool-worker-1]");
			assertThat(command(running, "threads other")).doesNotContain("commonPool");
			assertThat(command(running, "stop one")).contains("stopped");
			running.until(
					"one: the thread 'ForkJoinPool.commonPool-worker-1', which belongs to the JVM, still works for it: one//own.Main.spin(Main.java:");
			assertThat(command(running, "status")).containsPattern("other +running");
		}
	}

	/** As if the application had a thread of its own for it. */
	@Test
	void theOneThatEndsTheJvmFromTheCommonPoolIsNamed() throws IOException {
		Path jar = OwnApplication.withLibrariesOf("legacy")
			.resource("application.properties", "paint.color=red")
			.main("""
					public static void main(String[] arguments) {
						SpringApplication.run(Main.class, arguments);
					}

					@GetMapping("/quit")
					void quit() {
						ForkJoinPool.commonPool().execute(() -> System.exit(4));
					}
					""")
			.write(this.directory, "quit");
		try (RunningLayout running = start(Hoist.STATELESS, jar)) {
			running.until("[launcher] other runs after");
			running.end(this.one, "/quit");
			assertThat(running.process().onExit().join().exitValue()).isEqualTo(4);
			assertThat(running.log()).contains(
					"[launcher] one has ended the JVM, and all others with it: its thread 'ForkJoinPool.commonPool-worker-1' has called System.exit at own.Main.lambda$quit$0 (Main.java:")
				.containsSubsequence("[launcher] other has stopped", "[launcher] one has stopped")
				.doesNotContain("still works for it");
		}
	}

	private static double cpuSeconds(RunningLayout running, String application) {
		return command(running, "status").lines()
			.filter((line) -> line.startsWith(application + " "))
			.map((line) -> line.split(" +")[5])
			.mapToDouble(Double::parseDouble)
			.sum();
	}

	private static String command(RunningLayout running, String command) {
		try {
			return running.command(command);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
