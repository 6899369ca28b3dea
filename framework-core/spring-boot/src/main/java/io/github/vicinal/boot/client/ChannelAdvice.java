package io.github.vicinal.boot.client;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/** The entry of calls at a client's proxy, before anything else sees them. */
final class ChannelAdvice implements MethodInterceptor {

	private final ClientChannel channel;

	ChannelAdvice(ClientChannel channel) {
		this.channel = channel;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		MethodPlan plan = this.channel.plan(invocation.getMethod());
		if (plan == null) {
			return invocation.proceed();
		}
		Timing timing = plan.shape().timing();
		Original original = (timing == Timing.SYNC && !this.channel.failsOver()) ? invocation::proceed
				// The HTTP call may be started later, on another thread, and more than
				// once.
				: () -> ((ProxyMethodInvocation) invocation).invocableClone().proceed();
		return new ClientCall(this.channel, plan, timing, invocation.getArguments(), original).make();
	}

}
