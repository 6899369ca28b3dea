package io.github.vicinal.cache.spring;

import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.annotation.CacheKey;
import javax.cache.annotation.CachePut;
import javax.cache.annotation.CacheRemove;
import javax.cache.annotation.CacheRemoveAll;
import javax.cache.annotation.CacheResult;
import javax.cache.annotation.CacheValue;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** JCache's annotations work through Spring's support, on the same cache manager. */
class JCacheAnnotationTests {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Configured.class);

	private final Prices prices = this.context.getBean(Prices.class);

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void resultsAreCachedReplacedAndRemoved() {
		assertThat(this.prices.of("tea")).isEqualTo("tea #1");
		assertThat(this.prices.of("tea")).isEqualTo("tea #1");
		this.prices.set("tea", "cheap");
		assertThat(this.prices.of("tea")).isEqualTo("cheap");
		this.prices.changed("tea");
		assertThat(this.prices.of("tea")).isEqualTo("tea #2");
		this.prices.allChanged();
		assertThat(this.prices.of("tea")).isEqualTo("tea #3");
	}

	@Test
	void anExceptionIsCachedIfACacheIsNamedForIt() {
		assertThatIllegalStateException().isThrownBy(() -> this.prices.of("nothing")).withMessage("nothing #1");
		assertThatIllegalStateException().isThrownBy(() -> this.prices.of("nothing")).withMessage("nothing #1");
	}

	/** Cached service. */
	public static class Prices {

		private final AtomicInteger loads = new AtomicInteger();

		@CacheResult(cacheName = "prices", exceptionCacheName = "failures")
		public String of(String name) {
			String loaded = name + " #" + this.loads.incrementAndGet();
			if (name.equals("nothing")) {
				throw new IllegalStateException(loaded);
			}
			return loaded;
		}

		@CachePut(cacheName = "prices")
		public void set(@CacheKey String name, @CacheValue String price) {
		}

		@CacheRemove(cacheName = "prices")
		public void changed(String name) {
		}

		@CacheRemoveAll(cacheName = "prices")
		public void allChanged() {
		}

	}

	@Configuration
	@EnableCaching
	static class Configured {

		@Bean
		VicinalCacheManager cacheManager() {
			return new VicinalCacheManager((name) -> CacheBuilder.named(name).policy(CachePolicy.AIC).maximumSize(100));
		}

		@Bean
		Prices prices() {
			return new Prices();
		}

	}

}
