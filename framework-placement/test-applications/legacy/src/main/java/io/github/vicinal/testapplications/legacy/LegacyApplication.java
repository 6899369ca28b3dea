package io.github.vicinal.testapplications.legacy;

import java.lang.management.ManagementFactory;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.management.ObjectName;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Misbehaves as the property {@code mood} says. */
@SpringBootApplication
public class LegacyApplication {

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
	Mood mood(@Value("${mood:good}") String mood) throws Exception {
		return new Mood(mood);
	}

	/** What goes wrong. */
	static class Mood implements DisposableBean {

		private final String mood;

		Mood(String mood) throws Exception {
			this.mood = mood;
			System.setProperty("legacy.was.here", "yes");
			switch (mood) {
				case "fails-on-start" -> throw new IllegalStateException("the mood is bad");
				case "leaves-things" -> leaveThings();
				default -> {
				}
			}
		}

		private static void leaveThings() throws Exception {
			new Timer("legacy-timer").schedule(new TimerTask() {

				@Override
				public void run() {
				}

			}, 1000, 1000);
			Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran"), "legacy-hook"));
			ManagementFactory.getPlatformMBeanServer()
				.registerMBean(new Left(), new ObjectName("legacy:type=Left"));
		}

		@Override
		public void destroy() throws Exception {
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

		@GetMapping("/burn")
		long burn(@RequestParam long millis) {
			long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
			long rounds = 0;
			while (System.nanoTime() - end < 0) {
				rounds += new byte[1024].length;
			}
			return rounds;
		}

	}

}
