/** A topic, as log lines name it. */
export type Topic = { readonly pattern: string }

/** How log lines name clients of one kind: the kind, and the field for the name. */
export type Called = { readonly kind: string; readonly field: string }

/** A client's identity, with the id of its connection. Compared by reference. */
export type Connected<Who> = Readonly<Who> & { readonly connection_id: string }

/**
 * A client that publishes, known by its name. Its packets are acknowledged once they are processed. It may subscribe to
 * one topic, which carries its own messages.
 */
export type PublisherRequest<Who, T extends Topic> = {
  readonly as: 'publisher'
  readonly name: string
  /** The longest silence, in ms; 0 allows any. */
  readonly silence_ms: number
  readonly will: { readonly topic: T; readonly payload: Uint8Array } | undefined
  /** Resolves to the client's identity, or `undefined` to refuse it. */
  admit(): Promise<Who | undefined>
}

/** A client that only listens. People wait for it, so it is admitted before publishers that came earlier. */
export type ListenerRequest<Who> = {
  readonly as: 'listener'
  readonly silence_ms: number
  admit(): Promise<Who | undefined>
}

export type PublisherRules<Who, T extends Topic> = {
  readonly called: Called
  /** The topic under which this name may publish; `undefined` if it may not, which ends the connection. */
  topicOf(name: string, topic_name: string): T | undefined
  /** The only topic to which it may subscribe. */
  subscriptionOf(name: string): string
  /** Whether publishing to this topic announces the publisher as ready. It is sent nothing before that. */
  announces(topic: T): boolean
  /**
   * Processes a published packet. The packets of one name come one at a time and in order. An earlier connection's
   * packets, will and `gone` come before the first packet of the next. The PUBACK leaves after this resolves. If it
   * rejects, the connection ends without a PUBACK and its other packets are dropped; the publisher sends them again.
   */
  received(from: Connected<Who>, topic: T, payload: Uint8Array): Promise<void>
  /**
   * How many ms a packet must wait before it is processed, or 0. Asked again after that time. Packets of other topics
   * overtake waiting ones. Packets still waiting when the connection ends are dropped without a PUBACK.
   */
  delay?(from: Connected<Who>, topic: T): Promise<number> | number
  /** The publisher has acknowledged a message. */
  acknowledged?(): void
  /**
   * Called exactly once per admitted connection, after its last `received`, including the one for its will, has
   * settled.
   */
  gone(from: Connected<Who>): Promise<void>
}

export type ListenerRules<Who> = {
  readonly called: Called
  /** The key for `disconnect`; several connections may share it. */
  keyOf(who: Who): unknown
  /** The topics that exist. */
  readonly topics: ReadonlySet<string>
  /** Whether another connection is allowed in addition to the open ones. */
  hasRoom(who: Who, open: readonly Connected<Who>[]): boolean
}
