package io.github.vicinal.boot.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.BeanUtils;

/**
 * Asynchronous processing that a handler starts in the middle of a typed call. The thread
 * of the call waits for its end, because the handler must not run again; later calls go
 * over HTTP. Thread-safe.
 */
final class HandlerAsync implements AsyncContext {

	/** Why later calls of such a handler go over HTTP. */
	static final String REASON = "the handler starts asynchronous processing";

	/** Same as in Tomcat. */
	private static final long DEFAULT_TIMEOUT_MILLIS = 30_000;

	private static final Logger logger = LoggerFactory.getLogger(HandlerAsync.class);

	private final ServletRequest request;

	private final ServletResponse response;

	private final boolean original;

	private final List<Registration> listeners = new CopyOnWriteArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	private volatile boolean dispatched;

	private volatile long timeoutMillis = DEFAULT_TIMEOUT_MILLIS;

	private record Registration(AsyncListener listener, @Nullable ServletRequest request,
			@Nullable ServletResponse response) {
	}

	/** Outcome of the processing. */
	enum End {

		COMPLETED, DISPATCHED, TIMED_OUT

	}

	/**
	 * Starts asynchronous processing.
	 * @param request the request that was given for it
	 * @param response the response that was given for it
	 * @param original whether these are those of the container
	 */
	HandlerAsync(ServletRequest request, ServletResponse response, boolean original) {
		this.request = request;
		this.response = response;
		this.original = original;
	}

	/**
	 * Waits for the end.
	 * @param frame the call, whose caller waits no longer than it says
	 * @return how it ended
	 * @throws InterruptedException if the thread is interrupted
	 */
	End await(CallFrame frame) throws InterruptedException {
		// A handler may have interrupted its own thread, which over HTTP is not the one
		// that waits. An interrupt that ends the call looks the same, so the wait must
		// end
		// by itself.
		long nanos = nanos(frame);
		boolean interrupted = nanos < Long.MAX_VALUE && Thread.interrupted();
		try {
			return end(nanos);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private long nanos(CallFrame frame) {
		long nanos = (this.timeoutMillis > 0) ? TimeUnit.MILLISECONDS.toNanos(this.timeoutMillis) : Long.MAX_VALUE;
		return (frame.deadlineNanos() == CallFrame.NO_DEADLINE) ? nanos
				: Math.min(nanos, frame.remainingNanos() + HandlerTarget.GRACE_NANOS);
	}

	private End end(long nanos) throws InterruptedException {
		if (!this.end.await(nanos, TimeUnit.NANOSECONDS)) {
			notify(AsyncListener::onTimeout);
			if (this.end.getCount() > 0) {
				this.end.countDown();
				notify(AsyncListener::onComplete);
				return End.TIMED_OUT;
			}
		}
		if (this.dispatched) {
			return End.DISPATCHED;
		}
		notify(AsyncListener::onComplete);
		return End.COMPLETED;
	}

	/** Notifies a listener. */
	@FunctionalInterface
	private interface Notice {

		void send(AsyncListener listener, AsyncEvent event) throws Exception;

	}

	private void notify(Notice notice) {
		for (Registration each : this.listeners) {
			try {
				notice.send(each.listener(), new AsyncEvent(this, each.request(), each.response()));
			}
			catch (Exception ex) {
				logger.warn("{} failed", each.listener(), ex);
			}
		}
	}

	private void end(boolean byDispatch) {
		synchronized (this.end) {
			if (this.end.getCount() == 0) {
				throw new IllegalStateException("The asynchronous processing has ended already");
			}
			this.dispatched = byDispatch;
			this.end.countDown();
		}
	}

	@Override
	public ServletRequest getRequest() {
		return this.request;
	}

	@Override
	public ServletResponse getResponse() {
		return this.response;
	}

	@Override
	public boolean hasOriginalRequestAndResponse() {
		return this.original;
	}

	@Override
	public void dispatch() {
		end(true);
	}

	@Override
	public void dispatch(String path) {
		throw new UnsupportedOperationException(
				"A typed call cannot be dispatched to %s; its handler goes over HTTP from now on".formatted(path));
	}

	@Override
	public void dispatch(ServletContext context, String path) {
		dispatch(path);
	}

	@Override
	public void complete() {
		end(false);
	}

	@Override
	public void start(Runnable task) {
		Thread thread = new Thread(task, "vicinal-handler-async");
		thread.setDaemon(true);
		thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
		thread.start();
	}

	@Override
	public void addListener(AsyncListener listener) {
		this.listeners.add(new Registration(listener, null, null));
	}

	@Override
	public void addListener(AsyncListener listener, ServletRequest suppliedRequest, ServletResponse suppliedResponse) {
		this.listeners.add(new Registration(listener, suppliedRequest, suppliedResponse));
	}

	@Override
	public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
		try {
			return BeanUtils.instantiateClass(type);
		}
		catch (RuntimeException ex) {
			throw new ServletException(ex);
		}
	}

	@Override
	public void setTimeout(long timeout) {
		this.timeoutMillis = timeout;
	}

	@Override
	public long getTimeout() {
		return this.timeoutMillis;
	}

}
