import { randomUUID } from 'node:crypto'
import { ProtocolError } from '#mqtt/codec/bytes.ts'
import type { FairQueue } from '#mqtt/fair-queue.ts'
import { type JudgeHeader, openFrames } from '#mqtt/codec/frames.ts'
import { MAX_PACKET_BYTES, SMALL_PACKETS } from './headers.ts'
import type { Limits } from './limits.ts'
import type { Cause } from './tally.ts'

/** A TCP, TLS or WebSocket connection, as MQTT uses it. */
export type Wire = {
  /** The peer's IP address. */
  readonly address: string
  readonly websocket: boolean
  start(events: WireEvents): void
  send(bytes: Uint8Array): void
  /** Bytes sent that the operating system has not taken yet. */
  unsent(): number
  pause(): void
  resume(): void
  /** Sends a ping, if the transport supports it. */
  ping(): void
  /** Closes after pending bytes are sent, and discards further input. */
  end(): void
  destroy(): void
}

export type WireEvents = {
  bytes(chunk: Uint8Array): void
  /** The client showed that it is alive, other than by sending bytes. */
  alive(): void
  /** The client sent a ping, which the transport answers itself. */
  asked(): void
  /** The client violated MQTT's use of this transport; `why` is the message of a `ProtocolError`. */
  foreign(why: string): void
  closed(): void
}

/** The kind of peer, which determines what its packets mean. */
export type Role = {
  /** Handles one whole packet. A thrown `ProtocolError` ends the connection. */
  frame(frame: Uint8Array): void
  /** Called once, when nothing more is received or sent. */
  ended(cause: Cause): void
}

type Terms = {
  /** The longest time that the client may be silent; 0 allows any. */
  silence_ms: number
  /** The packets that it may send. */
  judge: JudgeHeader
  /** Whether the server sends pings. */
  pinged: boolean
}

/** The terms before its CONNECT is accepted. */
const STRANGER: Terms = { silence_ms: 0, judge: SMALL_PACKETS, pinged: false }

export type Connection = {
  readonly id: string
  readonly address: string
  readonly websocket: boolean
  /** Why it ended; `undefined` if it is open. */
  ended(): Cause | undefined
  /** Sends a packet. Packets of one tick leave together. */
  send(packet: Uint8Array): void
  /** Its CONNECT was accepted. */
  become(role: Role, terms: Terms): void
  /** Stops reading. While paused, the client's silence does not count. */
  pause(): void
  resume(): void
  /** When its last packet came, on the clock of `performance.now()`. */
  heardAt(): number
  /** Closes at once. */
  cut(cause: Cause): void
  /** Closes after pending packets are sent. */
  end(cause: Cause): void
  /** Checks every time limit of this connection. */
  sweep(now: number): void
}

type Watcher = {
  /** Called once, when the transport is closed. */
  closed(connection: Connection, cause: Cause, error: unknown): void
  /** It sent more than allowed, and is not read for a while. */
  slowed(connection: Connection): void
}

/**
 * Queues that spread the work of connections over many turns of the event loop. If many clients connect or leave at
 * once, Node reads thousands of packets or disconnections in one turn. Without the queues all are handled in it.
 */
export type Queues = {
  /** For the first bytes of a connection. */
  opening: FairQueue
  /** For bytes after the admission. */
  reading: FairQueue
  /** For handling the end of a connection. */
  closing: FairQueue
}

/** One connection with any peer: its packets in turn, its limits, its timeouts and its end. */
export function openConnection(
  wire: Wire,
  limits: Limits,
  makeRole: (connection: Connection) => Role,
  watcher: Watcher,
  queues: Queues,
): Connection {
  const frames = openFrames(SMALL_PACKETS)
  const opened_at = performance.now()
  let admitted = false
  let terms: Terms = STRANGER
  let heard_at = opened_at
  let pinged_at = opened_at
  let slow_since: number | undefined
  let paused = false
  let packets_left = limits.packets
  /** The client exceeded its rate: nothing is read until the next sweep. */
  let slowed = false
  let outgoing: Uint8Array[] = []
  let deferred = false
  let cause: Cause | undefined
  let error: unknown
  let ended_at = 0

  function bytes(chunk: Uint8Array): void {
    if (cause) return
    frames.push(chunk)
    // A client that sends more while it waits for its turn must not fill the memory.
    if (deferred || chunk.length > MAX_PACKET_BYTES) return readOn()
    deferred = true
    if (admitted) queues.reading(readDeferred)
    else queues.opening(readDeferred)
  }

  function readDeferred(): void {
    deferred = false
    readOn()
  }

  function readOn(): void {
    try {
      while (!paused && !slowed && !cause) {
        const frame = frames.next()
        if (!frame) break
        heard_at = performance.now()
        countPacket()
        role.frame(frame)
      }
    } catch (thrown) {
      error = thrown
      finish(thrown instanceof ProtocolError ? 'breach' : 'failed')
    }
  }

  function countPacket(): void {
    if (--packets_left > 0 || slowed || cause) return
    slowed = true
    if (!paused) wire.pause()
    watcher.slowed(connection)
  }

  function readAgain(): void {
    heard_at = performance.now()
    readOn()
    if (!paused && !slowed && !cause) wire.resume()
  }

  function flush(): void {
    if (outgoing.length === 0) return
    const packets = outgoing
    outgoing = []
    wire.send(packets.length === 1 ? packets[0]! : Buffer.concat(packets))
    const unsent = wire.unsent()
    if (unsent > limits.most_unsent_bytes) finish('slow')
    else if (unsent > limits.unsent_bytes) slow_since ??= performance.now()
  }

  function finish(why: Cause, gently = false): void {
    if (cause) return
    if (gently) flush()
    if (cause) return // the flush found it too slow
    cause = why
    ended_at = performance.now()
    outgoing = []
    if (gently) wire.end()
    else wire.destroy()
    role.ended(why)
  }

  function sweep(now: number): void {
    if (cause) {
      if (now - ended_at > limits.linger_ms) wire.destroy()
      return
    }
    packets_left = Math.min(
      limits.packets,
      packets_left + Math.ceil((limits.packets_per_sec * limits.sweep_ms) / 1_000),
    )
    if (slowed && packets_left > 0) {
      slowed = false
      if (!paused) readAgain()
    }
    if (cause) return
    if (!paused) {
      if (!admitted && now - opened_at > limits.connect_ms) return finish('no_connect')
      if (terms.silence_ms > 0 && now - heard_at > terms.silence_ms) return finish('keep_alive')
    }
    if (slow_since !== undefined) {
      if (wire.unsent() <= limits.unsent_bytes) slow_since = undefined
      else if (now - slow_since > limits.drain_ms) return finish('slow')
    }
    if (terms.pinged && now - pinged_at > limits.ping_ms) {
      if (pinged_at > opened_at && heard_at < pinged_at) return finish('keep_alive')
      pinged_at = now
      wire.ping()
    }
  }

  function seeOff(): void {
    if (deferred && admitted) readOn() // its DISCONNECT may be unread
    finish('closed')
    watcher.closed(connection, cause!, error)
  }

  const connection: Connection = {
    id: randomUUID(),
    address: wire.address,
    websocket: wire.websocket,
    ended: () => cause,
    heardAt: () => heard_at,
    send(packet) {
      if (cause) return
      if (outgoing.push(packet) === 1) process.nextTick(flush)
    },
    become(next_role, next_terms) {
      role = next_role
      terms = next_terms
      admitted = true
      frames.judgeBy(terms.judge)
    },
    pause() {
      if (paused) return
      paused = true
      if (!slowed) wire.pause()
    },
    resume() {
      if (!paused) return
      paused = false
      if (!slowed) readAgain()
    },
    cut: (why) => finish(why),
    end: (why) => finish(why, true),
    sweep,
  }

  let role = makeRole(connection)
  wire.start({
    bytes,
    alive: () => void (heard_at = performance.now()),
    asked: countPacket,
    foreign(why) {
      if (cause) return
      error = new ProtocolError(why)
      finish('breach', true)
    },
    closed: () => queues.closing(seeOff),
  })
  return connection
}
