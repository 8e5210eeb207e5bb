import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeAccounts } from '../installation.ts'
import { progressOf, startParties } from '../parties.ts'
import { faultsOf } from '../report.ts'
import { type Comparison, compareInPeace, today } from '../peace.ts'
import type { Backend, Balancer } from './balancer.ts'
import { startDatabase } from './database.ts'
import { type Fault, kinds } from './faults.ts'
import { openGates } from './gates.ts'
import { type Ordeal, undergo } from './ordeal.ts'
import { openOwners } from './owners.ts'
import { type Beat, isOk, startPulse } from './pulse.ts'
import { openReplicas } from './replica.ts'
import { startWatch } from './watch.ts'
import type { Heard } from './walks.ts'

export type SeveralNeeds = {
  seed: string
  replicas: number
  plan: readonly Fault[]
  devices: number
  /** Messages a second, if they are accepted. */
  rate: number
  failing: number
  /** The quiet time after each fault, in which values outside of faults are measured. */
  calm_ms: number
  settle_within_ms: number
  /** Whether late or missing answers are faults too: not on a machine with other work. */
  on_time: boolean
  startBalancer(backends: readonly Backend[], folder: string): Promise<Balancer>
  drain_secs: number
  say: (line: string) => void
}

export type SeveralOutcome = Comparison & {
  seed: string
  secs: number
  replicas: number
  balancer: string
  ordeals: Ordeal[]
  /** When browsers at other servers heard of device changes, outside of faults. */
  heard: Heard[]
  beats: readonly Beat[]
  kept: string | undefined
}

const PROGRESS_MS = 5_000
/** A browser hears of a change stored at another server within this time. */
const TOLD_WITHIN_MS = 1_000
/** The time servers may need after a fault, once all are ready, until they hear each other. */
const HEARING_MS = 3_000
/** Here the servers fail: devices have a third of the usual mishaps, and the log fewer checks. */
const MISHAPS = 1 / 3
const LOOK_EVERY_MS = 1_500
/** The 30 s begin when a command is booked: if its commit takes seconds, the device has less of them. */
const RESENT_TOO_SOON = 'resent_too_soon'
/** Expected complaints of servers while their database or network is gone. */
const EXPECTED = [/cannot be reached/, /lets go of its devices and takes a new lease/, /waits for no standby/]

/**
 * Several servers over one PostgreSQL behind a balancer, under load, with one fault after the other. Afterwards,
 * undisturbed, the records of all parties are compared.
 */
export async function tortureSeveral(needs: SeveralNeeds): Promise<SeveralOutcome> {
  const { seed, plan, say, devices: count } = needs
  const [began, day] = [performance.now(), today()]
  const folder = mkdtempSync(join(tmpdir(), 'sdd-torture-'))
  const ends: (() => unknown)[] = []
  try {
    const postgres = await startDatabase({ pair: plan.some(({ kind }) => kind === 'failover') })
    ends.push(postgres.stop)
    const gates = openGates()
    ends.push(gates.stop)
    const { replicas: of, drain_secs } = needs
    const { sockets } = postgres
    const replicas = await openReplicas({ count: of, folder, sockets, gates, drain_secs })
    ends.push(() => Promise.all(replicas.map(({ kill }) => kill())))
    await Promise.all(replicas.map(({ serve }) => serve()))
    const balancer = await needs.startBalancer(replicas, folder)
    ends.push(balancer.stop)
    const { url: server_url, mqtt_url } = balancer
    const accounts = await makeAccounts(server_url, folder, count)
    let changed_at = Date.now()
    const parties = await startParties({
      ...needs,
      server_url,
      mqtt_url,
      readyAt: () => changed_at,
      accounts,
      folder,
      mishaps: MISHAPS,
      look_every_ms: LOOK_EVERY_MS,
    })
    ends.push(parties.abandon)
    const { token } = accounts
    const watch = await startWatch({ server_url, token, folder, replicas })
    const owners = openOwners(postgres.url)
    ends.push(owners.close)
    const pulse = startPulse({ url: server_url, token, uid: watch.residents[0]!.uid })
    ends.push(pulse.stop)
    const { load, devices } = parties
    const feeding = setInterval(() => load.waiting() < needs.rate && load.release(needs.rate), 1_000)
    const progress = setInterval(() => say(progressOf(parties)), PROGRESS_MS)
    ends.push(
      () => clearInterval(feeding),
      () => clearInterval(progress),
    )

    await wait(needs.calm_ms)
    const uids = accounts.devices.map(({ uid }) => uid)
    const ordeals: Ordeal[] = []
    for (const fault of plan) {
      const who = fault.victims.map((place) => replicas[place]!.name).join(', ')
      say(`${kinds[fault.kind]}${who && `: ${who}`} (${(fault.lasts_ms / 1_000).toFixed(1)} s)`)
      changed_at = Date.now()
      ordeals.push(
        await undergo({ ...needs, devices: uids, replicas, postgres, parties, watch, pulse, owners }, fault),
      )
      changed_at = Date.now()
      for (const line of faultsOf(ordeals.at(-1)!.faults)) say(`  ${line}`)
    }
    const last = performance.now()
    clearInterval(feeding)
    const faults = ordeals.flatMap((ordeal) => ordeal.faults)
    const calm = (from: number, to: number) =>
      to < last && ordeals.every((ordeal) => to < ordeal.began || from > ordeal.over)
    const heard = watch.heard().filter(({ at, ms }) => calm(at - HEARING_MS, at + (ms ?? TOLD_WITHIN_MS)))
    const when = (at: number) => {
      const before = ordeals.findLast(({ over }) => over < at)
      return before ? `${((at - before.over) / 1_000).toFixed(1)} s after ${kinds[before.kind]}` : 'at first'
    }
    if (needs.on_time)
      faults.push(
        ...late(heard, TOLD_WITHIN_MS, when),
        ...unanswered(
          pulse.beats.filter(({ at, ms }) => calm(at, at + ms)),
          when,
        ),
      )

    say(`${plan.length} faults are over; now everything finishes undisturbed`)
    await pulse.stop()
    await watch.stop()
    const { settle_within_ms } = needs
    const compared = await compareInPeace({ server_url, ...accounts, parties, day, settle_within_ms })
    await devices.stop()
    const statuses = await Promise.all(replicas.map(({ stop }) => stop()))
    faults.push(
      ...compared.faults.filter((said) => needs.on_time || !said.startsWith(RESENT_TOO_SOON)),
      ...replicas.flatMap(({ name, complaints }) =>
        complaints()
          .filter((said) => !EXPECTED.some((expected) => expected.test(said)))
          .map((said) => `${name} complained: ${said}`),
      ),
      ...statuses.flatMap((status, i) =>
        status === 0 ? [] : [`${replicas[i]!.name} stopped with exit status ${status}`],
      ),
    )
    const kept = faults.length > 0 ? folder : undefined
    if (kept === undefined) rmSync(folder, { recursive: true })
    const secs = (performance.now() - began) / 1_000
    return {
      ...compared,
      seed,
      secs,
      replicas: of,
      balancer: balancer.says,
      ordeals,
      heard,
      beats: pulse.beats,
      kept,
      faults,
    }
  } catch (error) {
    say(`Aborted; everything is kept in ${folder}`)
    throw error
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

function late(heard: readonly Heard[], within_ms: number, when: (at: number) => string): string[] {
  return heard
    .filter(({ ms }) => ms === undefined || ms > within_ms)
    .map(({ uid, status, from, to, ms, at }) => {
      const later = ms === undefined ? 'never' : `after ${Math.round(ms)} ms`
      return `A browser at server ${to + 1} heard ${later} that ${uid} had ${status} at server ${from + 1}, ${when(at)}`
    })
}

function unanswered(beats: readonly Beat[], when: (at: number) => string): string[] {
  return beats
    .filter((beat) => !isOk(beat))
    .map(({ kind, said, at }) => `A ${kind} through the balancer was answered ${said}, ${when(at)}`)
}
