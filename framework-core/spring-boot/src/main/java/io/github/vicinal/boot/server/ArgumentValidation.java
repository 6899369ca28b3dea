package io.github.vicinal.boot.server;

import java.lang.annotation.Annotation;

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
 * constraints, else the bodies that are marked for it. Thread-safe.
 */
final class ArgumentValidation {

	private final @Nullable Validator validator;

	private final @Nullable HandlerMethodValidator methodValidator;

	ArgumentValidation(@Nullable Validator validator, @Nullable HandlerMethodValidator methodValidator) {
		this.validator = validator;
		this.methodValidator = methodValidator;
	}

	void validate(HandlerMethod handler, @Nullable Object[] arguments) throws MethodArgumentNotValidException {
		HandlerMethodValidator method = this.methodValidator;
		if (handler.shouldValidateArguments() && method != null) {
			method.applyArgumentValidation(handler.getBean(), handler.getMethod(), handler.getMethodParameters(),
					arguments, new Class<?>[0]);
			return;
		}
		if (this.validator == null) {
			return;
		}
		for (int i = 0; i < arguments.length; i++) {
			MethodParameter parameter = handler.getMethodParameters()[i];
			Object argument = arguments[i];
			if (argument != null && parameter.hasParameterAnnotation(RequestBody.class)) {
				validateBody(parameter, argument);
			}
		}
	}

	private void validateBody(MethodParameter parameter, Object body) throws MethodArgumentNotValidException {
		for (Annotation annotation : parameter.getParameterAnnotations()) {
			Object @Nullable [] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
			if (hints == null) {
				continue;
			}
			DataBinder binder = new DataBinder(body, Conventions.getVariableNameForParameter(parameter));
			binder.setValidator(this.validator);
			if (ObjectUtils.isEmpty(hints)) {
				binder.validate();
			}
			else {
				binder.validate(hints);
			}
			if (binder.getBindingResult().hasErrors()) {
				throw new MethodArgumentNotValidException(parameter, binder.getBindingResult());
			}
			return;
		}
	}

}
