package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.RequestToViewNameTranslator;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.support.RequestContextUtils;
import org.springframework.web.util.WebUtils;

/**
 * Renders the views with which exception handlers answer, as the dispatcher servlet does.
 */
final class ErrorViews {

	private final ApplicationContext context;

	ErrorViews(ApplicationContext context) {
		this.context = context;
	}

	/**
	 * Writes a view into the response.
	 * @param answer the answer of an exception handler, which is not empty
	 * @param exception what it answers
	 * @param request the request
	 * @param response the response
	 * @throws Exception if there is no such view, or if it fails
	 */
	void render(ModelAndView answer, Exception exception, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		if (!answer.hasView()) {
			answer.setViewName(translated(request));
		}
		WebUtils.exposeErrorRequestAttributes(request, exception, "dispatcherServlet");
		Locale locale = RequestContextUtils.getLocale(request);
		response.setLocale(locale);
		View view = view(answer, locale);
		if (answer.getStatus() != null) {
			request.setAttribute(View.RESPONSE_STATUS_ATTRIBUTE, answer.getStatus());
			response.setStatus(answer.getStatus().value());
		}
		view.render(answer.getModel(), request, response);
		WebUtils.clearErrorRequestAttributes(request);
	}

	private @Nullable String translated(HttpServletRequest request) throws Exception {
		RequestToViewNameTranslator translator = this.context.getBeanProvider(RequestToViewNameTranslator.class)
			.getIfAvailable();
		return (translator != null) ? translator.getViewName(request) : null;
	}

	private View view(ModelAndView answer, Locale locale) throws Exception {
		View view = answer.getView();
		String name = answer.getViewName();
		if (view == null && name != null) {
			List<ViewResolver> resolvers = new ArrayList<>(
					BeanFactoryUtils.beansOfTypeIncludingAncestors(this.context, ViewResolver.class, true, false)
						.values());
			AnnotationAwareOrderComparator.sort(resolvers);
			for (int i = 0; view == null && i < resolvers.size(); i++) {
				view = resolvers.get(i).resolveViewName(name, locale);
			}
		}
		if (view == null) {
			throw new ServletException("Could not resolve view with name '%s'".formatted(name));
		}
		return view;
	}

}
