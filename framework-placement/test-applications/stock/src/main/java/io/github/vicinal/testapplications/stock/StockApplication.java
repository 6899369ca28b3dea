package io.github.vicinal.testapplications.stock;

import io.github.vicinal.testapplications.stock.api.StockApi;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.RestController;

/** Keeps the stock. */
@SpringBootApplication
public class StockApplication {

	public static void main(String[] arguments) {
		SpringApplication.run(StockApplication.class, arguments);
	}

	/** Answers for the stock. */
	@RestController
	static class StockController implements StockApi {

		@Override
		public Level level(String item) {
			return new Level(item, item.length(), String.valueOf(getClass().getClassLoader().getName()));
		}

		@Override
		public String echo(String text) {
			return text;
		}

	}

}
