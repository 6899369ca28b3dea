package io.github.vicinal.placement.recommend;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.vicinal.placement.RandomModels;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

class RecommendationSchemaTests {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final Schema SCHEMA = schema();

	private static Schema schema() {
		try (InputStream in = Objects
			.requireNonNull(RecommendationJson.class.getResourceAsStream("placement-recommendation-1.schema.json"))) {
			return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(in);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> errors(String json) {
		return SCHEMA.validate(json, InputFormat.JSON).stream().map(Object::toString).toList();
	}

	private static String recommend(PlacementModel model) {
		return new RecommendationJson()
			.write(new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none()).recommend(model, -1,
					Budget.ofIterations(2_000, 1), Progress.none()));
	}

	@Property(tries = 100)
	void writtenDocumentsAreValid(@ForAll @LongRange(min = 0, max = 1_000_000) long seed, @ForAll boolean replicas) {
		PlacementModel model = new RandomModels(seed, replicas, true).model(8, 3);
		assertThat(errors(recommend(model))).isEmpty();
		assertThat(errors(recommend(model.with((Plan) null)))).isEmpty();
		assertThat(errors(recommend(model.withPrices(new Prices("EUR", 0.04, 0.3))))).isEmpty();
	}

	/** Three of two thirds do not fit into two wholes. */
	@Test
	void whatDoesNotFitIsValidToo() {
		List<Service> services = List.of(new Service("a", 1, Resources.of(600, 1)),
				new Service("b", 1, Resources.of(600, 1)), new Service("c", 1, Resources.of(600, 1)));
		PlacementModel model = new PlacementModel(services,
				List.of(new Host("x", Resources.of(900, 9)), new Host("y", Resources.of(900, 9))),
				List.of(Edge.calls("a", "b", 1)), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
		String written = recommend(model);
		assertThat(written).contains("\"action\" : \"none\"");
		assertThat(errors(written)).isEmpty();
	}

	@Test
	void everyMemberIsDescribed() {
		JsonNode written = MAPPER.readTree(recommend(new RandomModels(1, true, true).model(8, 3)));
		for (String name : written.propertyNames()) {
			ObjectNode changed = ((ObjectNode) written).deepCopy();
			changed.put(name, 0.5);
			assertThat(errors(changed.toString())).as(name).isNotEmpty();
		}
	}

}
