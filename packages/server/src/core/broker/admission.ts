import type { Logger } from 'pino'
import { networkOf } from '#server/core/address.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Browsers } from './browsers.ts'
import { readConnect, type Request } from './connect.ts'
import type { Connection, Role } from './connection.ts'
import type { Devices } from './devices.ts'
import { Breach } from './frames.ts'
import type { Limits } from './limits.ts'
import { CONNACK, isForeignConnect, refusal, type Decode } from './packets.ts'
import { openReception } from './reception.ts'
import type { BrokerRules } from './rules.ts'
import type { Denial, Tally } from './tally.ts'

/** What lies between a new connection and its CONNACK. */
export type Admission = {
  /** Makes room for one more connection of this address to wait in. False where there is none and none gives way. */
  makeRoom(address: string): boolean
  /** The role of a connection that has not been admitted. */
  role(connection: Connection): Role
  /** Its transport is gone. One that was refused waits until then: it holds a socket as well. */
  leave(connection: Connection): void
  /** Refuses those being looked at whose uid or session this is: their rules may have been asked too early. */
  revoke(key: string | number): void
  /** Refuses every device being looked at. */
  revokeDevices(): void
  count(): number
  /** Resolves when every question to the rules is answered. */
  settled(): Promise<void>
}

/** The uids and sessions that were revoked since the rules were asked, or every device. */
type Revoked = Set<string | number>
const EVERY_DEVICE = ''

export function openAdmission({
  rules,
  limits,
  log,
  tally,
  decode,
  devices,
  browsers,
}: {
  rules: Pick<BrokerRules, 'admitDevice' | 'admitBrowser'>
  limits: Limits
  log: Logger
  tally: Tally
  decode: Decode
  devices: Devices
  browsers: Browsers
}): Admission {
  const waiting = new Set<Connection>()
  const waiting_by_network = new Map<string, number>()
  /** Of those the ones that wait for the client: silent still, or refused and not gone. The oldest is the first. */
  const yielding = new Set<Connection>()
  const reception = openReception(limits.asked_at_once)
  /** Each with its answer's arrival. */
  const questions = new Map<Revoked, Promise<void>>()

  function makeRoom(address: string): boolean {
    const network = networkOf(address)
    const crowded_here = (waiting_by_network.get(network) ?? 0) >= limits.pending_per_address
    if (!crowded_here && waiting.size < limits.pending) return true
    for (const connection of yielding) {
      if (crowded_here && networkOf(connection.address) !== network) continue
      leave(connection)
      connection.cut('crowded')
      return true
    }
    return false
  }

  function enter(connection: Connection): void {
    waiting.add(connection)
    yielding.add(connection)
    const network = networkOf(connection.address)
    waiting_by_network.set(network, (waiting_by_network.get(network) ?? 0) + 1)
  }

  function leave(connection: Connection): void {
    if (!waiting.delete(connection)) return
    yielding.delete(connection)
    const network = networkOf(connection.address)
    const others = waiting_by_network.get(network)! - 1
    if (others > 0) waiting_by_network.set(network, others)
    else waiting_by_network.delete(network)
  }

  function role(connection: Connection): Role {
    enter(connection)
    return { frame: (frame) => read(connection, frame), ended: () => {} }
  }

  function read(connection: Connection, frame: Buffer): void {
    if (isForeignConnect(frame)) return deny(connection, 'protocol')
    const packet = decode(frame)
    if (packet.cmd !== 'connect') throw new Breach('a packet before CONNECT')
    const request = readConnect(packet, connection.websocket)
    if (typeof request === 'string') return deny(connection, request)
    connection.pause()
    yielding.delete(connection)
    const revoked: Revoked = new Set()
    const answered = reception.inTurn(request.as, () => answer(connection, request, revoked))
    questions.set(
      revoked,
      answered.finally(() => questions.delete(revoked)),
    )
  }

  async function answer(connection: Connection, request: Request, revoked: Revoked): Promise<void> {
    if (connection.ended()) return
    try {
      const denial = await (request.as === 'device'
        ? admitDevice(connection, request, revoked)
        : admitBrowser(connection, request, revoked))
      if (denial) deny(connection, denial)
    } catch (error) {
      const from = { address: connection.address }
      if (error instanceof Refusal) log.debug({ ...from, code: error.code }, 'a CONNECT could not be decided')
      else log.error({ err: error, ...from }, 'a CONNECT could not be decided')
      deny(connection, 'unavailable')
    }
    connection.resume()
  }

  async function admitDevice(connection: Connection, request: Request & { as: 'device' }, revoked: Revoked) {
    const known = await rules.admitDevice(request.uid, request.secret)
    if (connection.ended()) return undefined
    if (!known || revoked.has(request.uid)) return 'credentials'
    if (revoked.has(EVERY_DEVICE)) return 'unavailable'
    if (!devices.hasRoom(request.uid)) return 'unavailable'
    leave(connection)
    connection.send(CONNACK)
    devices.admit(connection, request, known)
    log.debug({ connection_id: connection.id, uid: request.uid }, 'device admitted')
    return undefined
  }

  async function admitBrowser(
    connection: Connection,
    request: Request & { as: 'browser' },
    revoked: Revoked,
  ) {
    const known = await rules.admitBrowser(request.token)
    if (connection.ended()) return undefined
    if (!known || revoked.has(known.session_id)) return 'credentials'
    if (browsers.count() >= limits.browsers) return 'unavailable'
    const { session_id, user_id, company_id, most_of_company } = known
    if (browsers.countOf('session_id', session_id) >= limits.browsers_per_session) return 'unavailable'
    if (browsers.countOf('user_id', user_id) >= limits.browsers_per_user) return 'unavailable'
    if (browsers.countOf('company_id', company_id) >= most_of_company) return 'unavailable'
    leave(connection)
    connection.send(CONNACK)
    browsers.admit(connection, request.silence_ms, known)
    log.debug({ connection_id: connection.id, session_id: known.session_id }, 'browser admitted')
    return undefined
  }

  function deny(connection: Connection, denial: Denial): void {
    tally.refused[denial]++
    connection.send(refusal(denial))
    connection.end('refused')
    if (waiting.has(connection)) yielding.add(connection)
  }

  return {
    makeRoom,
    role,
    leave,
    revoke(key) {
      for (const revoked of questions.keys()) revoked.add(key)
    },
    revokeDevices() {
      for (const revoked of questions.keys()) revoked.add(EVERY_DEVICE)
    },
    count: () => waiting.size,
    async settled() {
      await Promise.all(questions.values())
    },
  }
}
