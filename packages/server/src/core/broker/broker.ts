import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { openProxies, type Proxies } from '#server/core/address.ts'
import type { Scope } from '#server/core/context.ts'
import { openSparing } from '#server/core/sparing.ts'
import { openAdmission } from './admission.ts'
import { openBrowsers } from './browsers.ts'
import { openConnection, type Connection } from './connection.ts'
import { openDevices } from './devices.ts'
import { Breach } from './frames.ts'
import { LIMITS, type Limits } from './limits.ts'
import { listen, type Door, type ListenOptions, type Listener } from './listen.ts'
import { openDecoder } from './packets.ts'
import type { BrokerRules, BrowserConnection, DeviceConnection } from './rules.ts'
import { openSpreading, openYielding } from './spreading.ts'
import { newTally, type Cause, type Tally } from './tally.ts'
import { attachWebSockets } from './upgrade.ts'

export type Broker = {
  /** MQTT over TCP, or over TLS where a certificate is given, for devices. Rejects where the port cannot be had. */
  listen(options: ListenOptions): Promise<{ port: number }>
  /** MQTT over WebSocket at /mqtt of this server, for devices and browsers. */
  attach(server: Server): void
  /**
   * Publishes a command to the device's current connection. False where it has none, is not subscribed, or leaves
   * too many commands without a PUBACK: nothing is kept for later, the database is the queue.
   */
  toDevice(uid: string, payload: string | Buffer): boolean
  /** When the last packet of its current connection came, in ms since 1970. */
  lastSeen(uid: string): number | undefined
  /**
   * Its secret changed, or it was unlinked: its connection is cut, and one about to be admitted is refused. With `before`
   * only a connection with a lower number, as another has taken its place.
   */
  disconnectDevice(uid: string, before?: number): void
  /** Cuts every device, and refuses those about to be admitted. */
  disconnectDevices(): void
  /** Connections of devices that have said a status. */
  devices(): Iterable<DeviceConnection>
  /** To every browser that is subscribed to exactly this topic and whose scope may see it. */
  toBrowsers(topic: string, payload: string, may: (scope: Scope) => boolean): void
  browsers(): Iterable<BrowserConnection>
  /** Its session is over: its connections are cut, and one about to be admitted is refused. */
  disconnectBrowsers(session_id: number): void
  counts(): { devices: number; browsers: number; pending: number }
  readonly tally: Tally
  /**
   * Accepts no more and ends every connection. Resolves when the `received` under way, the wills and every `gone`
   * settled and the ports are free.
   */
  stop(): Promise<void>
}

/** For so long what came over connections is read in one turn of the event loop. */
const READ_MS = 5

/** Ends for which a limit was the cause; the others are daily life. */
const WORTH_SAYING: ReadonlySet<Cause> = new Set<Cause>(['no_connect', 'slow', 'crowded'])
const QUIET = { level: 'debug', unsaid: undefined } as const

/**
 * The MQTT 3.1.1 endpoint: devices (`device-protocol.ts` of the contract) by TCP, TLS and WebSocket, browsers
 * (`live.ts`) by WebSocket. What a client may do is fixed here; who is admitted and what a packet means, `rules` decide.
 */
export function openBroker({
  rules,
  log,
  limits: given,
  proxies = openProxies([]),
}: {
  rules: BrokerRules
  log: Logger
  /** Of those who come by WebSocket; none where absent. */
  proxies?: Proxies
  limits?: Partial<Limits>
}): Broker {
  const limits: Limits = { ...LIMITS, ...given }
  const tally = newTally()
  const decode = openDecoder()
  const devices = openDevices({ rules, limits, log, decode })
  const browsers = openBrowsers(decode)
  const admission = openAdmission({ rules, limits, log, tally, decode, devices, browsers })
  const connections = new Set<Connection>()
  const turns = {
    first: openSpreading({ most: limits.asked_at_once }),
    next: openYielding(READ_MS),
    last: openSpreading(),
  }
  const sparing = openSparing()
  const listeners: Listener[] = []
  const detachments: (() => void)[] = []
  let stopping = false

  const door: Door = {
    turnsAway(address) {
      if (!stopping && admission.makeRoom(address)) return false
      tally.refused.crowded++
      const { level, unsaid } = sparing('crowded')
      log[level]({ address, unsaid }, 'a connection was turned away: too many wait to be admitted')
      return true
    },
    refused: () => void tally.refused.upgrade++,
    accept(wire) {
      connections.add(openConnection(wire, limits, admission.role, { closed, slowed }, turns))
    },
  }

  function slowed({ id: connection_id, address }: Connection): void {
    tally.slowed++
    const { level, unsaid } = sparing('slowed')
    log[level]({ connection_id, address, unsaid }, 'a connection sends too much, and is slowed')
  }

  function closed(connection: Connection, cause: Cause, error: unknown): void {
    connections.delete(connection)
    admission.leave(connection)
    tally.ended[cause]++
    const { id: connection_id, address } = connection
    if (error === undefined) {
      const { level, unsaid } = WORTH_SAYING.has(cause) ? sparing(cause) : QUIET
      log[level]({ connection_id, address, cause, unsaid }, 'connection ended')
    } else if (error instanceof Breach) {
      const { level, unsaid } = sparing(cause)
      log[level]({ connection_id, address, breach: error.message, unsaid }, 'connection ended')
    } else log.error({ connection_id, address, err: error }, 'connection failed')
  }

  // One timer for all: a timer a packet would cost more than the packet.
  const sweeping = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) connection.sweep(now)
  }, limits.sweep_ms).unref()

  async function stop(): Promise<void> {
    stopping = true
    for (const detach of detachments) detach()
    const ports = Promise.all(listeners.map((listener) => listener.close()))
    for (const connection of connections) turns.last(() => connection.cut('stopped'))
    await new Promise<void>((resolve) => turns.last(resolve))
    browsers.stop()
    await Promise.all([devices.stop(), admission.settled(), ports])
    clearInterval(sweeping)
  }

  return {
    async listen(options) {
      const listener = await listen(options, door)
      listeners.push(listener)
      return { port: listener.port }
    },
    attach: (server) => void detachments.push(attachWebSockets(server, door, proxies)),
    toDevice: devices.command,
    lastSeen: devices.lastSeen,
    disconnectDevice(uid, before) {
      if (before === undefined) admission.revoke(uid)
      devices.disconnect(uid, before)
    },
    disconnectDevices() {
      admission.revokeDevices()
      devices.disconnectAll()
    },
    devices: devices.present,
    toBrowsers: browsers.toAll,
    browsers: browsers.all,
    disconnectBrowsers(session_id) {
      admission.revoke(session_id)
      browsers.disconnect(session_id)
    },
    counts: () => ({ devices: devices.count(), browsers: browsers.count(), pending: admission.count() }),
    tally,
    stop,
  }
}
