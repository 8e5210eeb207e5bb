import { connect, disconnect, pingreq, subscribe } from '@sdd/mqtt/codec/from-client.ts'
import { readServerPacket, type ServerPacket } from '@sdd/mqtt/codec/from-server.ts'
import { puback } from '@sdd/mqtt/codec/publish.ts'
import { packetReader } from '@sdd/mqtt/codec/reader.ts'
import { readText } from '@sdd/mqtt/codec/text.ts'

/** `connecting` until the first success or failure; `offline` once it has failed for a while. */
export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'offline'

export type ConnectionTiming = {
  keepAliveSecs: number
  /** Time limit for an answer: CONNACK, SUBACK, PINGRESP. */
  answerMs: number
  /** The wait before the first retry. Each later wait is twice as long. */
  firstWaitMs: number
  mostWaitMs: number
}

const TIMING: ConnectionTiming = { keepAliveSecs: 30, answerMs: 10_000, firstWaitMs: 500, mostWaitMs: 30_000 }

/** From this many failures in a row on, the state is `offline`. */
const PATIENCE = 4

export type ConnectionSpec = {
  url: string
  topics: readonly string[]
  /** Read at each connect, as the token changes. */
  password(): string
  hear(topic: string, payload: string): void
  changed(state: ConnectionState): void
  /** The broker refused the token or a topic. */
  refused(): void
  timing?: ConnectionTiming
}

export type Connection = {
  /** Retries at once while waiting, or when the attempt that is under way fails; otherwise pings the broker. */
  nudge(): void
  /** Closes the connection, because the machine has lost its network. */
  lost(): void
  stop(): void
}

/** Subscribes to the broker's topics at QoS 0, and reconnects with exponential backoff and jitter. */
export function openConnection({ timing = TIMING, ...spec }: ConnectionSpec): Connection {
  let socket: WebSocket | undefined
  let failures = 0
  let stopped = false
  let waiting: ReturnType<typeof setTimeout> | undefined
  let answer: ReturnType<typeof setTimeout> | undefined
  let beat: ReturnType<typeof setInterval> | undefined
  let liveSince = 0
  let nudged = false

  function open(): void {
    clearTimeout(waiting)
    waiting = undefined
    const current = new WebSocket(spec.url, 'mqtt')
    socket = current
    current.binaryType = 'arraybuffer'
    const read = packetReader(readServerPacket, take)
    current.onopen = () => {
      const client_id = `console-${Math.random().toString(36).slice(2, 12)}`
      const { keepAliveSecs: keep_alive_secs } = timing
      send(connect({ client_id, username: 'console', password: spec.password(), keep_alive_secs }))
    }
    current.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      if (socket !== current) return
      try {
        read(new Uint8Array(data))
      } catch {
        drop()
      }
    }
    current.onclose = () => {
      if (socket === current) drop()
    }
    awaitAnswer()
  }

  function take(packet: ServerPacket): void {
    if (packet.type === 'connack' && packet.code === 0) return send(subscribe(1, spec.topics))
    if (packet.type === 'suback' && packet.codes.every((code) => code < 0x80)) return goLive()
    if (packet.type === 'connack' || packet.type === 'suback') {
      drop()
      return spec.refused()
    }
    if (packet.type === 'pingresp') return answered()
    if (packet.type !== 'publish') return
    if (packet.packet_id !== undefined) send(puback(packet.packet_id))
    spec.hear(packet.topic, readText(packet.payload))
  }

  function goLive(): void {
    answered()
    nudged = false
    liveSince = Date.now()
    beat = setInterval(ping, timing.keepAliveSecs * 1000 * 0.6)
    spec.changed('live')
  }

  function ping(): void {
    send(pingreq())
    awaitAnswer()
  }

  function awaitAnswer(): void {
    answer ??= setTimeout(drop, timing.answerMs)
  }

  function answered(): void {
    clearTimeout(answer)
    answer = undefined
  }

  function drop(): void {
    // A connection that lasted for a while resets the backoff; one that is cut at once does not.
    if (liveSince && Date.now() - liveSince > timing.answerMs) failures = 0
    failures++
    close()
    if (stopped) return
    const most = Math.min(timing.mostWaitMs, timing.firstWaitMs * 2 ** (failures - 1))
    waiting = setTimeout(open, nudged ? 0 : most * (0.5 + Math.random() / 2))
    nudged = false
    spec.changed(failures >= PATIENCE ? 'offline' : 'reconnecting')
  }

  function close(): void {
    answered()
    clearTimeout(waiting)
    clearInterval(beat)
    waiting = undefined
    liveSince = 0
    const last = socket
    socket = undefined
    last?.close()
  }

  function send(bytes: Uint8Array<ArrayBuffer>): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(bytes)
  }

  open()
  return {
    nudge() {
      if (stopped) return
      if (waiting) open()
      else if (liveSince) ping()
      else nudged = true
    },
    lost() {
      if (stopped) return
      failures = Math.max(failures, PATIENCE)
      nudged = false
      drop()
    },
    stop() {
      stopped = true
      send(disconnect())
      close()
    },
  }
}
