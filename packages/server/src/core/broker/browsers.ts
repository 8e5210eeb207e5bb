import { devicesStatus, frontChange } from '@sdd/contract/core/live.ts'
import type { Scope } from '#server/core/context.ts'
import type { Connection } from './connection.ts'
import { Breach, MAX_PACKET_BYTES } from './frames.ts'
import { NOT_GRANTED, PINGRESP, publish, suback, unsuback, type Decode } from './packets.ts'
import type { BrowserConnection, KnownBrowser } from './rules.ts'

export type Browsers = {
  admit(connection: Connection, silence_ms: number, known: KnownBrowser): void
  /** To those subscribed to the topic whose scope may see it. */
  toAll(topic: string, payload: string, may: (scope: Scope) => boolean): void
  all(): Iterable<BrowserConnection>
  disconnect(session_id: number): void
  count(): number
  /** Those of this session, user or company. */
  countOf(whose: 'session_id' | 'user_id' | 'company_id', id: number): number
  stop(): void
}

type Browser = {
  readonly who: BrowserConnection
  readonly connection: Connection
  readonly topics: Set<string>
}

/** All that there is to subscribe to. */
const TOPICS: ReadonlySet<string> = new Set([devicesStatus.pattern, frontChange.pattern])

/** The admitted connections of browsers: they listen and say nothing. Everything goes out with QoS 0. */
export function openBrowsers(decode: Decode): Browsers {
  const open = new Map<string, Browser>()

  const admit: Browsers['admit'] = (connection, silence_ms, known) => {
    const topics = new Set<string>()
    const { session_id, user_id, company_id, scope } = known
    const who = { connection_id: connection.id, session_id, user_id, company_id, scope }

    function frame(bytes: Buffer): void {
      const packet = decode(bytes)
      switch (packet.cmd) {
        case 'subscribe':
          for (const { topic } of packet.subscriptions) if (TOPICS.has(topic)) topics.add(topic)
          return connection.send(
            suback(
              packet.messageId,
              packet.subscriptions.map(({ topic }) => (TOPICS.has(topic) ? 0 : NOT_GRANTED)),
            ),
          )
        case 'unsubscribe':
          for (const topic of packet.unsubscriptions) topics.delete(topic)
          return connection.send(unsuback(packet.messageId))
        case 'pingreq':
          return connection.send(PINGRESP)
        case 'disconnect':
          return connection.end('disconnect')
        case 'publish':
        case 'puback':
        case 'connect':
          throw new Breach(`a ${packet.cmd} of a browser`)
      }
    }

    open.set(connection.id, { who, connection, topics })
    connection.become(
      { frame, ended: () => void open.delete(connection.id) },
      { silence_ms, publish_bytes: MAX_PACKET_BYTES, pinged: true },
    )
  }

  function toAll(topic: string, payload: string, may: (scope: Scope) => boolean): void {
    let packet: Buffer | undefined
    for (const { who, connection, topics } of open.values()) {
      if (!topics.has(topic) || !may(who.scope)) continue
      packet ??= publish(topic, payload)
      connection.send(packet)
    }
  }

  return {
    admit,
    toAll,
    *all() {
      for (const { who } of open.values()) yield who
    },
    disconnect(session_id) {
      for (const { who, connection } of open.values())
        if (who.session_id === session_id) connection.cut('cut')
    },
    count: () => open.size,
    countOf: (whose, id) => Array.from(open.values()).filter(({ who }) => who[whose] === id).length,
    stop() {
      for (const { connection } of open.values()) connection.cut('stopped')
    },
  }
}
