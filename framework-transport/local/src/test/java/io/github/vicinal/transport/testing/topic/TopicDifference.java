package io.github.vicinal.transport.testing.topic;

/**
 * What a kind of topic does differently on purpose. The guide lists each of them; a
 * behaviour that differs and is not here is a defect.
 */
public enum TopicDifference {

	/**
	 * Publisher and subscriber are one application, so they have one name, one instance
	 * id and one set of grants.
	 */
	ONE_APPLICATION,

	/**
	 * The topic itself has a model and a payload, since it is there without publishers:
	 * the application that comes second with others gets an exception. Otherwise the
	 * subscription reports the publisher as refused.
	 */
	DECLARED_ONCE,

	/**
	 * Each application asks only its own grants, because publishers and subscribers do
	 * not meet.
	 */
	OWN_GRANTS_ONLY,

	/** A subscriber that comes back goes on behind what it has handled. */
	STORED_POSITION,

	/**
	 * Messages of a stream that nobody has taken outlast the publisher, also in another
	 * process.
	 */
	OUTLASTS_PUBLISHER,

	/** A publisher does not know its subscribers by name. */
	SUBSCRIBERS_NOT_KNOWN,

	/**
	 * Only the publisher counts what was dropped, and a subscriber that has it open may
	 * handle it nevertheless.
	 */
	DROPS_NOT_KNOWN_TO_SUBSCRIBERS,

	/** Numbers of messages ascend, but are indexes of a file. */
	SEQUENCE_IS_INDEX,

	/**
	 * Messages are on their way for a while. In publish/subscribe a subscriber may get
	 * those that were published shortly before it subscribed. In a stream they are sent
	 * before a handler is free, so those that nobody has begun are redelivered, too, and
	 * are not in the backlog.
	 */
	SENT_AHEAD

}
