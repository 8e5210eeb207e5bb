import type { Connection } from './connection.ts'
import { clientHeaders } from './headers.ts'
import { openPublisher, type Publisher, type PublisherNeeds } from './publisher.ts'
import type { Connected, PublisherRequest, Topic } from './rules.ts'

/** Room for the header, topic and packet id of a PUBLISH. */
const PUBLISH_HEADER_BYTES = 128

export type Publishers<Who, T extends Topic> = {
  /** Whether one more connection of this name is allowed. */
  hasRoom(name: string): boolean
  /** Admits a connection, and cuts an earlier one of the same name. */
  admit(connection: Connection, request: PublisherRequest<Who, T>, who: Who): void
  send(name: string, payload: string | Uint8Array): boolean
  lastHeard(name: string): number | undefined
  disconnect(name: string, which?: (who: Connected<Who>) => boolean): void
  disconnectAll(): void
  present(): Iterable<Connected<Who>>
  count(): number
  /** Resolves when every `gone` has settled. */
  stop(): Promise<void>
}

/** The admitted connections of publishers, at most one open per name. */
export function openPublishers<Who, T extends Topic>(
  needs: Omit<PublisherNeeds<Who, T>, 'ended'>,
): Publishers<Who, T> {
  const { limits } = needs
  const judge = clientHeaders(limits.payload_bytes + PUBLISH_HEADER_BYTES)
  const open = new Map<string, Publisher<Who>>()
  /** Ended connections with packets, will or `gone` to process: the newest of each name, and all of them. */
  const last_ended = new Map<string, Publisher<Who>>()
  const unfinished = new Set<Publisher<Who>>()

  function hasRoom(name: string): boolean {
    const predecessor = open.get(name) ?? last_ended.get(name)
    if (predecessor && predecessor.predecessors() + 1 > limits.unfinished_per_name) return false
    return open.has(name) || open.size < limits.publishers
  }

  function admit(
    connection: Connection,
    { name, will, silence_ms }: PublisherRequest<Who, T>,
    who: Who,
  ): void {
    open.get(name)?.connection.cut('replaced')
    const client = { name, will, who: { ...who, connection_id: connection.id } }
    const publisher = openPublisher({ ...needs, ended }, connection, client, last_ended.get(name))
    open.set(name, publisher)
    connection.become(publisher.role, {
      silence_ms,
      judge,
      pinged: false,
    })
  }

  function ended(publisher: Publisher<Who>): void {
    const { name } = publisher
    open.delete(name)
    last_ended.set(name, publisher)
    unfinished.add(publisher)
    void publisher.finished.then(() => {
      unfinished.delete(publisher)
      if (last_ended.get(name) === publisher) last_ended.delete(name)
    })
  }

  return {
    hasRoom,
    admit,
    send: (name, payload) => open.get(name)?.send(payload) ?? false,
    lastHeard(name) {
      const publisher = open.get(name)
      return publisher && Math.round(Date.now() - performance.now() + publisher.connection.heardAt())
    },
    disconnect(name, which = () => true) {
      const publisher = open.get(name)
      if (publisher && which(publisher.who)) publisher.connection.cut('cut')
    },
    disconnectAll() {
      for (const { connection } of open.values()) connection.cut('cut')
    },
    *present() {
      for (const publisher of open.values()) if (publisher.present()) yield publisher.who
    },
    count: () => open.size,
    async stop() {
      for (const { connection } of open.values()) connection.cut('stopped')
      await Promise.all(Array.from(unfinished, (publisher) => publisher.finished))
    },
  }
}
