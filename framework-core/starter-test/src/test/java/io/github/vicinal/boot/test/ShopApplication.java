package io.github.vicinal.boot.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.service.registry.ImportHttpServices;

/** An application with a component that is tested and one that is in the way. */
@SpringBootApplication
@ImportHttpServices(group = "quotes", types = Quotes.class)
class ShopApplication {

}
