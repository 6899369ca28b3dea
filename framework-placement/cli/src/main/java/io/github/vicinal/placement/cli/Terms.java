package io.github.vicinal.placement.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.model.Route;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Prices of capacity and limits of routes, which no source observes. */
final class Terms {

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Option(names = "--prices", paramLabel = "CURRENCY:CORE[:HOST]",
			description = "price of a processor and of a host for an hour, such as EUR:0.04:0.30; savings are then shown as money")
	private @Nullable String prices;

	@Option(names = "--slo", paramLabel = "ROUTE=TIME",
			description = "the most that 99 %% of a route's requests may take, such as 'shop post /orders=250ms'; may be given more than once")
	private List<String> slos = new ArrayList<>();

	PlacementModel of(PlacementModel model) {
		PlacementModel priced = (this.prices == null) ? model : model.withPrices(prices(this.prices));
		List<Route> routes = new ArrayList<>(priced.routes());
		for (String slo : this.slos) {
			limit(slo, routes);
		}
		return this.slos.isEmpty() ? priced : priced.withRoutes(routes);
	}

	private Prices prices(String text) {
		String[] parts = text.split(":", -1);
		try {
			if (parts.length == 2 || parts.length == 3) {
				return new Prices(parts[0].strip(), Double.parseDouble(parts[1]),
						(parts.length == 3) ? Double.parseDouble(parts[2]) : 0);
			}
		}
		catch (NumberFormatException ex) {
			// Said below.
		}
		throw usage("--prices is '%s'; write a currency and prices for an hour, such as EUR:0.04:0.30".formatted(text));
	}

	/** Names of routes may contain equals signs, times do not. */
	private void limit(String text, List<Route> routes) {
		int equals = text.lastIndexOf('=');
		if (equals < 1) {
			throw usage("--slo has '%s'; write ROUTE=TIME, such as 'shop post /orders=250ms'".formatted(text));
		}
		String name = text.substring(0, equals).strip();
		double micros;
		try {
			Duration limit = new SolveCommand.DurationConverter().convert(text.substring(equals + 1).strip());
			micros = limit.toNanos() / 1000.0;
		}
		catch (TypeConversionException | ArithmeticException ex) {
			throw usage("--slo of '%s': %s".formatted(name, ex.getMessage()));
		}
		for (int i = 0; i < routes.size(); i++) {
			if (routes.get(i).name().equals(name)) {
				routes.set(i, routes.get(i).withSlo(micros));
				return;
			}
		}
		if (routes.isEmpty()) {
			throw usage(
					"--slo names the route '%s', but no routes are known; add --traffic zipkin=URL, which sees them, or write routes into the model"
						.formatted(name));
		}
		throw usage("--slo names the route '%s', which is not among the routes %s".formatted(name,
				routes.stream().map(Route::name).toList()));
	}

	private CommandLine.ParameterException usage(String message) {
		return new CommandLine.ParameterException(this.spec.commandLine(), message);
	}

}
