import { ProtocolError } from '#mqtt/codec/bytes.ts'
import { readClientPacket } from '#mqtt/codec/from-client.ts'
import { NOT_GRANTED, pingresp, suback, unsuback } from '#mqtt/codec/from-server.ts'
import { publish } from '#mqtt/codec/publish.ts'
import type { Connection } from './connection.ts'
import { SMALL_PACKETS } from './headers.ts'
import type { Connected, ListenerRules } from './rules.ts'

export type Listeners<Who> = {
  hasRoom(who: Who): boolean
  admit(connection: Connection, silence_ms: number, who: Who): void
  /** Sends to those that are subscribed to exactly this topic and pass `may`. */
  send(topic: string, payload: string, may: (who: Connected<Who>) => boolean): void
  open(): Iterable<Connected<Who>>
  disconnect(key: unknown): void
  count(): number
  stop(): void
}

type Listener<Who> = {
  readonly who: Connected<Who>
  readonly connection: Connection
  readonly topics: Set<string>
}

/** The admitted connections of listeners. Everything is sent with QoS 0. */
export function openListeners<Who>(rules: ListenerRules<Who>, most: number): Listeners<Who> {
  const open = new Map<string, Listener<Who>>()
  const granted = (topic: string) => (rules.topics.has(topic) ? 0 : NOT_GRANTED)

  function admit(connection: Connection, silence_ms: number, known: Who): void {
    const topics = new Set<string>()

    function frame(bytes: Uint8Array): void {
      const packet = readClientPacket(bytes)
      switch (packet.type) {
        case 'subscribe':
          for (const { topic } of packet.filters) if (rules.topics.has(topic)) topics.add(topic)
          return connection.send(
            suback(
              packet.packet_id,
              packet.filters.map(({ topic }) => granted(topic)),
            ),
          )
        case 'unsubscribe':
          for (const topic of packet.topics) topics.delete(topic)
          return connection.send(unsuback(packet.packet_id))
        case 'pingreq':
          return connection.send(pingresp())
        case 'disconnect':
          return connection.end('disconnect')
        case 'publish':
        case 'puback':
        case 'connect':
          throw new ProtocolError(`a ${packet.type} of a ${rules.called.kind}`)
      }
    }

    open.set(connection.id, { who: { ...known, connection_id: connection.id }, connection, topics })
    connection.become(
      { frame, ended: () => void open.delete(connection.id) },
      { silence_ms, judge: SMALL_PACKETS, pinged: true },
    )
  }

  function send(topic: string, payload: string, may: (who: Connected<Who>) => boolean): void {
    let packet: Uint8Array | undefined
    for (const { who, connection, topics } of open.values()) {
      if (!topics.has(topic) || !may(who)) continue
      packet ??= publish(topic, payload)
      connection.send(packet)
    }
  }

  return {
    hasRoom: (who) =>
      open.size < most &&
      rules.hasRoom(
        who,
        Array.from(open.values(), (one) => one.who),
      ),
    admit,
    send,
    *open() {
      for (const { who } of open.values()) yield who
    },
    disconnect(key) {
      for (const { who, connection } of open.values()) if (rules.keyOf(who) === key) connection.cut('cut')
    },
    count: () => open.size,
    stop() {
      for (const { connection } of open.values()) connection.cut('stopped')
    },
  }
}
