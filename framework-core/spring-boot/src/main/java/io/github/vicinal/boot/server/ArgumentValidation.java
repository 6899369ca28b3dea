package io.github.vicinal.boot.server;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.core.Conventions;
import org.springframework.core.MethodParameter;
import org.springframework.util.ObjectUtils;
import org.springframework.validation.DataBinder;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.HandlerMethodValidator;

/**
 * Validates arguments as Spring MVC does: by method validation where parameters have
 * constraints, else the bodies that are marked for it; and results that have constraints.
 * Thread-safe.
 */
final class ArgumentValidation {

	private final @Nullable Validator validator;

	private final @Nullable HandlerMethodValidator methodValidator;

	ArgumentValidation(@Nullable Validator validator, @Nullable HandlerMethodValidator methodValidator) {
		this.validator = validator;
		this.methodValidator = methodValidator;
	}

	/**
	 * Works out what is to be validated for one handler.
	 * @param handler the handler
	 * @return its validation, or {@code null} if there is nothing to validate
	 */
	@Nullable Plan plan(HandlerMethod handler) {
		HandlerMethodValidator method = this.methodValidator;
		if (handler.shouldValidateArguments() && method != null) {
			Class<?>[] groups = groups(method, handler);
			return (arguments) -> method.applyArgumentValidation(handler.getBean(), handler.getMethod(),
					handler.getMethodParameters(), arguments, groups);
		}
		Validator bodyValidator = this.validator;
		if (bodyValidator == null) {
			return null;
		}
		List<MarkedBody> bodies = new ArrayList<>();
		for (MethodParameter parameter : handler.getMethodParameters()) {
			if (parameter.hasParameterAnnotation(RequestBody.class)) {
				MarkedBody.of(parameter).ifPresent(bodies::add);
			}
		}
		return bodies.isEmpty() ? null : (arguments) -> {
			for (MarkedBody body : bodies) {
				body.validate(bodyValidator, arguments[body.parameter().getParameterIndex()]);
			}
		};
	}

	/**
	 * Works out what is to be validated of what one handler returns.
	 * @param handler the handler
	 * @return the validation of a result, or {@code null} if there is nothing to validate
	 */
	@Nullable Consumer<@Nullable Object> ofResult(HandlerMethod handler) {
		HandlerMethodValidator method = this.methodValidator;
		if (method == null || !handler.shouldValidateReturnValue()) {
			return null;
		}
		Class<?>[] groups = groups(method, handler);
		return (result) -> method.applyReturnValueValidation(handler.getBean(), handler.getMethod(),
				handler.getReturnValueType(result), result, groups);
	}

	/** Asks as Spring MVC does, which has no other way yet. */
	@SuppressWarnings("removal")
	private static Class<?>[] groups(HandlerMethodValidator method, HandlerMethod handler) {
		return method.determineValidationGroups(handler.getBean(), handler.getMethod());
	}

	/** The validation of one handler's arguments. */
	@FunctionalInterface
	interface Plan {

		void validate(@Nullable Object[] arguments) throws MethodArgumentNotValidException;

	}

	/** A body whose parameter is marked, with the groups to validate. */
	@SuppressWarnings("ArrayRecordComponent")
	private record MarkedBody(MethodParameter parameter, Object[] hints) {

		static Optional<MarkedBody> of(MethodParameter parameter) {
			for (Annotation annotation : parameter.getParameterAnnotations()) {
				Object @Nullable [] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
				if (hints != null) {
					return Optional.of(new MarkedBody(parameter, hints));
				}
			}
			return Optional.empty();
		}

		void validate(Validator validator, @Nullable Object body) throws MethodArgumentNotValidException {
			if (body == null || !validator.supports(body.getClass())) {
				return;
			}
			DataBinder binder = new DataBinder(body, Conventions.getVariableNameForParameter(this.parameter));
			binder.setValidator(validator);
			if (ObjectUtils.isEmpty(this.hints)) {
				binder.validate();
			}
			else {
				binder.validate(this.hints);
			}
			if (binder.getBindingResult().hasErrors()) {
				throw new MethodArgumentNotValidException(this.parameter, binder.getBindingResult());
			}
		}

	}

}
