package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.boot.placement.PlacementService.BusyException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Shows placement as a page for people ({@code vicinalplacement/page}), what this
 * instance reports to others ({@code vicinalplacement/instance}), and the model alone
 * ({@code vicinalplacement/model}).
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = PlacementEndpoint.class)
class PlacementViewsEndpointExtension {

	private static final MimeType HTML = new MimeType(MimeTypeUtils.TEXT_HTML, StandardCharsets.UTF_8);

	private static final MimeType CSS = new MimeType("text", "css", StandardCharsets.UTF_8);

	private static final MimeType SCRIPT = new MimeType("text", "javascript", StandardCharsets.UTF_8);

	private final PlacementEndpoint endpoint;

	/**
	 * Creates the extension.
	 * @param endpoint knows all that is shown
	 */
	public PlacementViewsEndpointExtension(PlacementEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Shows what is observed and, unless the mode is off, what is recommended.
	 * @return model and recommendation, or what is wrong
	 */
	@ReadOperation
	public WebEndpointResponse<Object> placement() {
		return answer(this.endpoint::placement);
	}

	/**
	 * Shows what would be recommended.
	 * @param hosts hosts to change or add, as {@code name=cpuMillis:memoryMiB,...}
	 * @param pins where services must run, as {@code service=host|host,...}
	 * @param routing how calls choose among replicas
	 * @param edgeWeight what is counted of an edge
	 * @param sameHostCpuMicros CPU time of a call within a host, both ends, in us
	 * @param otherHostCpuMicros CPU time of a call between hosts, both ends, in us
	 * @param maxMoves most replicas that may move
	 * @param searchMillis how long to search
	 * @param seed decides all random choices
	 * @param concentrate services that may give up hosts and zones, as {@code one,other}
	 * @param headRoomPercent part of each host that is left free, in percent
	 * @return model and recommendation, or what is wrong
	 */
	@WriteOperation
	public WebEndpointResponse<Object> whatIf(@Nullable String hosts, @Nullable String pins, @Nullable String routing,
			@Nullable String edgeWeight, @Nullable Double sameHostCpuMicros, @Nullable Double otherHostCpuMicros,
			@Nullable Integer maxMoves, @Nullable Long searchMillis, @Nullable Long seed, @Nullable String concentrate,
			@Nullable Integer headRoomPercent) {
		return answer(() -> this.endpoint.whatIf(hosts, pins, routing, edgeWeight, sameHostCpuMicros,
				otherHostCpuMicros, maxMoves, searchMillis, seed, concentrate, headRoomPercent));
	}

	/** Boot leaves messages out of its own errors; these are for the client. */
	private static WebEndpointResponse<Object> answer(Supplier<Object> operation) {
		try {
			return new WebEndpointResponse<>(operation.get(), WebEndpointResponse.STATUS_OK,
					MimeTypeUtils.APPLICATION_JSON);
		}
		catch (InvalidEndpointRequestException ex) {
			return refused(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(ex.getReason()));
		}
		catch (BusyException ex) {
			return refused(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
		}
	}

	private static WebEndpointResponse<Object> refused(int status, String message) {
		return new WebEndpointResponse<>(Map.of("message", message), status, MimeTypeUtils.APPLICATION_JSON);
	}

	/**
	 * Shows one view.
	 * @param view {@code page}, {@code instance}, {@code model} or {@code search}, or a
	 * file that the page loads
	 * @return the view, or {@code null} if there is none of that name
	 */
	@ReadOperation(produces = { "application/json", "text/html", "text/css", "text/javascript" })
	public @Nullable WebEndpointResponse<Object> view(@Selector String view) {
		return switch (view) {
			case "page" -> file("placement.html", HTML);
			case "page.css" -> file("placement.css", CSS);
			case "page.js" -> file("placement.js", SCRIPT);
			case "dagre.js" -> file("dagre.min.js", SCRIPT);
			case "instance" -> new WebEndpointResponse<>(this.endpoint.instance(), WebEndpointResponse.STATUS_OK,
					MimeTypeUtils.APPLICATION_JSON);
			case "search" -> answer(this.endpoint::search);
			case "model" -> answer(this.endpoint::model);
			default -> null;
		};
	}

	/**
	 * Style and scripts are files of their own: a {@code Content-Security-Policy} of the
	 * application usually forbids what is written into a page.
	 */
	private static WebEndpointResponse<Object> file(String name, MimeType type) {
		return new WebEndpointResponse<>(text(name), WebEndpointResponse.STATUS_OK, type);
	}

	private static String text(String name) {
		try (InputStream in = PlacementViewsEndpointExtension.class.getResourceAsStream(name)) {
			if (in == null) {
				throw new IllegalStateException(name + " is missing from the jar");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
