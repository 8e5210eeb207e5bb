/** A topic, as log lines name it. */
export type Topic = { readonly pattern: string }

/** How log lines call clients of one kind: what each is, and the field that names it. */
export type Called = { readonly kind: string; readonly field: string }

/** Who a client is, with the id of its connection. Compared by identity. */
export type Connected<Who> = Readonly<Who> & { readonly connection_id: string }

/**
 * A client that publishes, known by its name. Its packets are acknowledged once they are taken; it may subscribe to one
 * topic, over which it is sent packets of its own.
 */
export type PublisherRequest<Who, T extends Topic> = {
  readonly as: 'publisher'
  readonly name: string
  /** The longest silence, in ms; 0 allows any. */
  readonly silence_ms: number
  readonly will: { readonly topic: T; readonly payload: Uint8Array } | undefined
  /** Who it is; `undefined` if it may not come in. */
  admit(): Promise<Who | undefined>
}

/** A client that listens and says nothing: people wait for it, so it comes in before publishers that came earlier. */
export type ListenerRequest<Who> = {
  readonly as: 'listener'
  readonly silence_ms: number
  admit(): Promise<Who | undefined>
}

export type PublisherRules<Who, T extends Topic> = {
  readonly called: Called
  /** What this name may publish to under this topic name; `undefined`: nothing, and the connection ends. */
  topicOf(name: string, topic_name: string): T | undefined
  /** The one topic that it may subscribe to. */
  subscriptionOf(name: string): string
  /** Whether a publisher that publishes this says so that it is ready: until then it is sent nothing. */
  announces(topic: T): boolean
  /**
   * What a publisher published. The packets of one name come one at a time and in order, those of an earlier connection,
   * its will and its `gone` before the first of the next. The PUBACK leaves after it resolves. When it rejects, the
   * connection ends without one and the rest of what it sent is dropped: the publisher keeps it and sends it again.
   */
  received(from: Connected<Who>, topic: T, payload: Uint8Array): Promise<void>
  /**
   * How many ms a packet has to wait before it is taken; 0: not at all. Asked again when they are over. Packets of other
   * topics overtake those that wait; when the connection ends, those are dropped without a PUBACK.
   */
  delay?(from: Connected<Who>, topic: T): Promise<number> | number
  /** It has acknowledged what it was sent. */
  acknowledged?(): void
  /** Exactly once for each admitted connection, after its last `received` settled, that of its will included. */
  gone(from: Connected<Who>): Promise<void>
}

export type ListenerRules<Who> = {
  readonly called: Called
  /** What names it in `disconnect`; several connections may have the same. */
  keyOf(who: Who): unknown
  /** All that there is to subscribe to. */
  readonly topics: ReadonlySet<string>
  /** Whether one more comes in beside those that are open. */
  hasRoom(who: Who, open: readonly Connected<Who>[]): boolean
}
