package io.github.vicinal.boot.placement;

import java.util.Set;
import java.util.TreeSet;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses members of a what-if that the endpoint does not know. Actuator drops them, and
 * a misspelt member would answer another question than the one that was asked.
 */
final class KnownMembersAdvisor implements OperationInvokerAdvisor {

	private static final EndpointId PLACEMENT = EndpointId.of("placement");

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
					String message = "'%s' is not known; the members are %s".formatted(name, known);
					throw new InvalidEndpointRequestException(message, message);
				}
			}
			return invoker.invoke(context);
		};
	}

}
