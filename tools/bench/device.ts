import { connect, type Socket } from 'node:net'
import {
  CONNACK,
  connectPacket,
  openPackets,
  PINGREQ,
  PUBACK,
  pubackPacket,
  PUBLISH,
  publishPacket,
  readPublish,
  SUBACK,
  subscribePacket,
} from './mqtt.ts'

export type Account = { uid: string; secret: string }

export type DeviceEvents = {
  /** Its `connected` is committed. */
  live?(device: BenchDevice): void
  gone?(device: BenchDevice): void
  /** A command to send has arrived. */
  given?(guid: string, text: string): void
  /** The last of the message's three reports is committed. */
  delivered?(guid: string): void
}

/** A device as small as the protocol allows. It keeps nothing on disk, so that only the server is measured. */
export type BenchDevice = {
  readonly uid: string
  connect(port: number): void
  ping(): void
  /** Publishes a received SMS; resolves when it is committed. They are published one by one. */
  receive(sms: { from: string; text: string }): Promise<void>
  /** Drops its connection without a DISCONNECT, like a dead radio link. */
  cut(): void
  readonly live: boolean
  /** When it last published `connected`, by performance.now(). */
  readonly said_at: number
}

type Given = { type: string; guid: string; attempt: number; text: string }
type Report = { guid: string; attempt: number; state: 'accepted' | 'sent' | 'delivered' }

const AFTERWARDS = { accepted: 'sent', sent: 'delivered', delivered: undefined } as const
/** The most reports in one payload. */
const MOST_REPORTS = 100
/** A status, a snapshot of the networks, an SMS, and reports: the packet id shows which of them a PUBACK confirms. */
const [STATUS_ID, NETWORKS_ID, INBOX_ID, FIRST_REPORT_ID] = [1, 2, 3, 4]

/** It puts at most this many reports into one publication. */
export function openBenchDevice(
  { uid, secret }: Account,
  on: DeviceEvents,
  most_reports = MOST_REPORTS,
): BenchDevice {
  const topic = (name: string) => `devices/${uid}/${name}`
  const presence = (status: string) => JSON.stringify({ status, session, agent: 'bench/1' })
  let socket: Socket | undefined
  let session = ''
  let live = false
  let said_at = 0
  let waiting: Report[] = []
  let flying: Report[] = []
  let flying_id = 0
  let received = 0
  let stored = () => {}
  let receiving = Promise.resolve()

  function packet(type: number, body: Buffer): void {
    if (type === PUBLISH) return command(readPublish(body, 1))
    if (type === PUBACK) return acknowledged(body.readUInt16BE(0))
    if (type === SUBACK) {
      said_at = performance.now()
      return write(publishPacket(STATUS_ID, topic('status'), presence('connected')))
    }
    if (type === CONNACK && body[1] === 0) write(subscribePacket(1, topic('commands')))
  }

  function command({ id, payload }: { id: number; payload: Buffer }): void {
    write(pubackPacket(id))
    const { type, guid, attempt, text } = JSON.parse(payload.toString()) as Given
    if (type !== 'send') return
    on.given?.(guid, text)
    waiting.push({ guid, attempt, state: 'accepted' })
  }

  function acknowledged(id: number): void {
    if (id === STATUS_ID) {
      live = true
      write(publishPacket(NETWORKS_ID, topic('networks'), NETWORKS))
      return on.live?.(device)
    }
    if (id === INBOX_ID) return stored()
    if (id !== flying_id) return
    const committed = flying
    flying = []
    for (const report of committed) {
      const state = AFTERWARDS[report.state]
      if (state) waiting.push({ ...report, state })
      else on.delivered?.(report.guid)
    }
  }

  /** Like the agents, it has one publication under way at a time, with all waiting reports. */
  function report(): void {
    if (flying.length > 0 || waiting.length === 0) return
    flying = waiting.splice(0, most_reports)
    flying_id = flying_id >= 0xffff ? FIRST_REPORT_ID : Math.max(flying_id + 1, FIRST_REPORT_ID)
    const at = new Date().toISOString()
    write(publishPacket(flying_id, topic('reports'), JSON.stringify(flying.map((one) => ({ ...one, at })))))
  }

  const write = (bytes: Buffer) => void socket?.write(bytes)

  const device: BenchDevice = {
    uid,
    connect(port) {
      session = String(Math.random())
      const packets = openPackets()
      const opened = connect({ port, host: '127.0.0.1', noDelay: true })
      socket = opened
      opened.on('connect', () => {
        const will = { topic: topic('status'), payload: presence('disconnected') }
        opened.write(connectPacket({ client_id: uid, username: uid, password: secret, will }))
      })
      opened.on('data', (bytes: Buffer) => {
        opened.cork()
        for (const { type, body } of packets(bytes)) packet(type, body)
        report()
        opened.uncork()
      })
      opened.on('error', () => {})
      opened.on('close', () => {
        if (socket !== opened) return
        socket = undefined
        live = false
        // Like an agent from its disk, it repeats everything without a PUBACK.
        waiting = [...flying, ...waiting]
        flying = []
        on.gone?.(device)
      })
    },
    ping: () => write(PINGREQ),
    receive({ from, text }) {
      receiving = receiving.then(() => {
        const sms = { id: `${session}-${++received}`, from, text, at: new Date().toISOString() }
        const { promise, resolve } = Promise.withResolvers<void>()
        stored = resolve
        write(publishPacket(INBOX_ID, topic('inbox'), JSON.stringify(sms)))
        return promise
      })
      return receiving
    },
    cut: () => void socket?.destroy(),
    get live() {
      return live
    },
    get said_at() {
      return said_at
    },
  }
  return device
}

const NETWORKS = JSON.stringify({
  wifi: null,
  mobile: {
    intensity: -71,
    captured_at: '2026-01-01T00:00:00Z',
    sims: [{ id: 1, slot: 0, carrier: 'Bench' }],
  },
})
