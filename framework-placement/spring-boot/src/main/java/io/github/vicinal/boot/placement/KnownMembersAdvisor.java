package io.github.vicinal.boot.placement;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.invoke.ParameterMappingException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeTypeUtils;

/**
 * Refuses members of a what-if that the endpoint does not know, and values of another
 * type. Actuator drops unknown members, and a misspelt one would answer another question
 * than the one that was asked. It also leaves messages out of its own errors, so the
 * answer is made here.
 */
final class KnownMembersAdvisor implements OperationInvokerAdvisor {

	private static final EndpointId PLACEMENT = EndpointId.of("vicinalplacement");

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(PLACEMENT) || operationType != OperationType.WRITE) {
			return invoker;
		}
		Set<String> known = new TreeSet<>();
		for (OperationParameter parameter : parameters) {
			known.add(parameter.getName());
		}
		return (context) -> {
			for (String name : context.getArguments().keySet()) {
				if (!known.contains(name)) {
					return refused("'%s' is not known; the members are %s".formatted(name, known));
				}
			}
			try {
				return invoker.invoke(context);
			}
			catch (ParameterMappingException ex) {
				return refused("%s is '%s'; it must be %s".formatted(ex.getParameter().getName(), ex.getValue(),
						described(ex.getParameter().getType())));
			}
		};
	}

	private static String described(Class<?> type) {
		return (type == Double.class) ? "a number"
				: "a whole number of at most %d bits".formatted((type == Integer.class) ? Integer.SIZE : Long.SIZE);
	}

	static WebEndpointResponse<Object> refused(String message) {
		return new WebEndpointResponse<>(Map.of("message", message), WebEndpointResponse.STATUS_BAD_REQUEST,
				MimeTypeUtils.APPLICATION_JSON);
	}

}
