package io.github.vicinal.testapplications.legacy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Misbehaves as the property {@code mood} says. */
@SpringBootApplication
@EnableConfigurationProperties(LegacyApplication.Paint.class)
public class LegacyApplication {

	/** Holds a class of the application on each thread that runs it. */
	private static final ThreadLocal<Coat> COAT = new ThreadLocal<>();

	public static void main(String[] arguments) throws Exception {
		if (System.getProperty("legacy.mood", "").equals("returns")) {
			return;
		}
		if (System.getProperty("legacy.mood", "").equals("hangs-on-start")) {
			new CountDownLatch(1).await();
		}
		SpringApplication.run(LegacyApplication.class, arguments);
	}

	@Bean
	Mood mood(@Value("${mood:good}") String mood, @Value("${spring.application.name}") String name) throws Exception {
		SpringApplication.getShutdownHandlers().add(() -> System.out.println("handler of " + name + " ran"));
		return new Mood(mood);
	}

	/** A colour. */
	public enum Color {

		RED, GREEN

	}

	/**
	 * Value that is bound to types of the application.
	 *
	 * @param color of the paint
	 * @param others more of them
	 */
	@ConfigurationProperties("paint")
	public record Paint(Color color, List<Color> others) {
	}

	/**
	 * Value that is written as JSON.
	 *
	 * @param color of the coat
	 * @param layers by colour
	 */
	public record Coat(Color color, Map<Color, List<Paint>> layers) {
	}

	/** Misbehaviour on request. */
	static class Mood implements DisposableBean {

		private final String mood;

		Mood(String mood) throws Exception {
			this.mood = mood;
			System.setProperty("legacy.was.here", "yes");
			switch (mood) {
				case "fails-on-start" -> throw new IllegalStateException("the mood is bad");
				case "leaves-things" -> leaveThings();
				case "starts-slowly" -> startSlowly();
				case "loops" -> {
					leaveThings();
					loop();
				}
				default -> {
				}
			}
		}

		private static void loop() {
			new Thread(() -> {
				while (!Thread.currentThread().isInterrupted()) {
					Thread.onSpinWait();
				}
			}, "legacy-loop").start();
		}

		/** Its start goes on when the launcher stops it. */
		private static void startSlowly() {
			System.out.println("starts slowly");
			while (Thread.getAllStackTraces().keySet().stream().noneMatch(Mood::stops)) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
			}
		}

		private static boolean stops(Thread thread) {
			return thread.getName().equals(Thread.currentThread().getContextClassLoader().getName() + "-stop");
		}

		private static void leaveThings() throws Exception {
			new Timer("legacy-timer").schedule(new TimerTask() {

				@Override
				public void run() {
				}

			}, 1000, 1000);
			Executors.newFixedThreadPool(1, (task) -> new Thread(task, "legacy-executor")).submit(() -> {
			});
			// An idle thread would end by itself after a while.
			CountDownLatch begun = new CountDownLatch(1);
			new ForkJoinPool(1).submit(() -> {
				begun.countDown();
				new CountDownLatch(1).await();
				return null;
			});
			begun.await();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran"), "legacy-hook"));
			ManagementFactory.getPlatformMBeanServer().registerMBean(new Left(), new ObjectName("legacy:type=Left"));
		}

		@Override
		public void destroy() throws Exception {
			System.out.println("mood destroyed");
			if (this.mood.equals("hangs-on-stop")) {
				new CountDownLatch(1).await();
			}
		}

	}

	/** An MBean. */
	public interface LeftMBean {

		int getNumber();

	}

	/** An MBean. */
	public static class Left implements LeftMBean {

		@Override
		public int getNumber() {
			return 1;
		}

	}

	/** Answers. */
	@RestController
	static class LegacyController {

		private final Paint paint;

		LegacyController(Paint paint) {
			this.paint = paint;
		}

		@GetMapping("/coat")
		Coat coat() {
			return new Coat(this.paint.color(), Map.of(this.paint.color(), List.of(this.paint)));
		}

		/** Leaves something on a thread that all applications have in common. */
		@GetMapping("/common")
		String common() throws InterruptedException, ExecutionException {
			CompletableFuture<String> thread = new CompletableFuture<>();
			ForkJoinPool.commonPool().execute(() -> {
				COAT.set(coat());
				thread.complete(Thread.currentThread().getName());
			});
			return thread.get();
		}

		@GetMapping("/version")
		String version() {
			return SpringBootVersion.getVersion();
		}

		@GetMapping("/property/{name}")
		String property(@PathVariable String name) {
			return System.getProperty(name, "none");
		}

		@GetMapping("/ask")
		String ask(@RequestParam String url) {
			return RestClient.create().get().uri(url).retrieve().body(String.class);
		}

		/** Takes so much processor time, however long that takes. */
		@GetMapping("/burn")
		long burn(@RequestParam long millis) {
			ThreadMXBean threads = ManagementFactory.getThreadMXBean();
			long end = threads.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(millis);
			long rounds = 0;
			while (threads.getCurrentThreadCpuTime() < end) {
				rounds++;
			}
			return rounds;
		}

		@GetMapping("/allocate")
		long allocate(@RequestParam int mib) {
			long allocated = 0;
			for (int i = 0; i < mib; i++) {
				allocated += new byte[1 << 20].length;
			}
			return allocated;
		}

	}

}
