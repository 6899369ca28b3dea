package io.github.vicinal.testapplications.shop;

import io.github.vicinal.testapplications.stock.api.StockApi;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Sells what is in the stock. */
@SpringBootApplication
public class ShopApplication {

	public static void main(String[] arguments) {
		SpringApplication.run(ShopApplication.class, arguments);
	}

	@Bean
	StockApi stock(RestClient.Builder builder, @Value("${stock.url}") String url) {
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.baseUrl(url).build()))
			.build()
			.createClient(StockApi.class);
	}

	/** Answers customers. */
	@RestController
	static class ShopController {

		private final StockApi stock;

		ShopController(StockApi stock) {
			this.stock = stock;
		}

		@GetMapping("/offer/{item}")
		StockApi.Level offer(@PathVariable String item) {
			return this.stock.level(item);
		}

		/** Calls a number of times in a row. Returns the nanoseconds of all calls. */
		@GetMapping("/rounds")
		long rounds(@RequestParam int calls, @RequestParam(defaultValue = "1024") int bytes) {
			String text = "x".repeat(bytes);
			long start = System.nanoTime();
			for (int i = 0; i < calls; i++) {
				if (this.stock.echo(text).length() != bytes) {
					throw new IllegalStateException("not the same text");
				}
			}
			return System.nanoTime() - start;
		}

	}

}
