import { setTimeout as wait } from 'node:timers/promises'
import type { Parties } from '../parties.ts'
import type { Database } from './database.ts'
import { noteDevices, type Fate } from './fates.ts'
import { DEADLY, type Fault, kinds } from './faults.ts'
import { inflict } from './inflict.ts'
import type { Owners } from './owners.ts'
import type { Beat, Pulse } from './pulse.ts'
import type { Replica } from './replica.ts'
import type { Watch } from './watch.ts'

/** One fault and its effects. Times are performance.now(). */
export type Ordeal = Fault & {
  began: number
  /** When its cause was gone, and when everything was as before. */
  mended: number
  over: number
  /** The time after the cause was gone until the balancer served again for good, in ms. */
  serving_ms: number
  /** For a failover, the time from the kill until a write was acknowledged again. */
  stored_ms: number | undefined
  /** Requests through the balancer that were not answered with 2xx. */
  failed: Beat[]
  fate: Fate | undefined
  faults: string[]
}

type Needs = {
  replicas: readonly Replica[]
  postgres: Database
  parties: Parties
  watch: Watch
  pulse: Pulse
  owners: Owners
  /** The uids of those with messages to send. */
  devices: readonly string[]
  /** The quiet time afterwards. */
  calm_ms: number
  /** Whether late or missing answers are faults too. */
  on_time: boolean
}

/** A dead server loses its devices within this time: its lease, and the time the others need to notice. */
const GONE_WITHIN_MS = 15_000
/** The limit on any machine. */
const GONE_AT_LAST_MS = 55_000
const AS_BEFORE_WITHIN_MS = 180_000
const LOOK_EVERY_MS = 100

/** Inflicts a fault on the servers under load, and waits until everything is as before. */
export async function undergo(needs: Needs, fault: Fault): Promise<Ordeal> {
  const { parties, watch, pulse, owners } = needs
  const faults: string[] = []
  const deadly = DEADLY.has(fault.kind)
  const residents = watch.residents.filter(({ place }) => fault.victims.includes(place))
  const noted = deadly
    ? await noteDevices({ owners, browsers: watch.browsers, residents, restless: watch.walkers })
    : undefined
  const { load } = parties
  const unanswered = () => load.tasks.retries() + load.console.sent.filter((sms) => sms.unanswered).length
  const unanswered_before = unanswered()
  const began = performance.now()
  if (deadly) for (const resident of residents) resident.stayAway()
  const following = noted?.follow(began, began)
  faults.push(...(await inflict(needs, fault)))
  const mended = performance.now()
  const serving_ms = Math.max(0, (await pulse.steady()) - mended)
  // Until then only one server stores the data, as for an operator after a failover.
  if (fault.kind === 'failover') await needs.postgres.rejoin()
  const fate = await following
  for (const resident of residents) resident.comeBack()
  faults.push(...(await asBefore(needs)))
  const over = performance.now()
  const failed = pulse.failed(began, over)
  // Between the kill and the promotion nothing can be stored.
  const stored_ms = fault.kind === 'failover' ? pulse.storedAfter(began, fault.lasts_ms) : undefined

  if (fate !== undefined) {
    const late_ms = fault.kind === 'kill_all' ? mended - began : 0
    faults.push(...judgeFate(fate, late_ms + (needs.on_time ? GONE_WITHIN_MS : GONE_AT_LAST_MS)))
  }
  if (fault.kind === 'rolling' && needs.on_time) {
    for (const { kind, said } of failed) faults.push(`A ${kind} through the balancer was answered ${said}`)
    const more = unanswered() - unanswered_before
    if (more > 0) faults.push(`${more} requests of the load got no answer or a 5xx`)
  }
  await wait(needs.calm_ms)
  const named = faults.map((said) => `While ${kinds[fault.kind]}: ${said}`)
  return { ...fault, began, mended, over, serving_ms, stored_ms, failed, fate, faults: named }
}

function judgeFate({ gone_ms, told_ms, back_ms }: Fate, within_ms: number): string[] {
  const faults: string[] = []
  const secs = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  if (gone_ms === undefined) faults.push('its devices are still shown as connected to it')
  else if (gone_ms > within_ms) faults.push(`its devices were shown as connected to it for ${secs(gone_ms)}`)
  if (told_ms !== undefined && told_ms > within_ms) faults.push(`browsers heard of it after ${secs(told_ms)}`)
  if (back_ms === undefined) faults.push('its devices have not reconnected')
  return faults
}

/** Waits until every server is ready, every device is back and every server shows it. Returns the remaining faults. */
async function asBefore({ replicas, watch, owners, devices }: Needs): Promise<string[]> {
  const until = performance.now() + AS_BEFORE_WITHIN_MS
  const away = new Set(devices)
  for (;;) {
    const ready = await Promise.all(replicas.map(({ url }) => isReady(url)))
    for (const uid of (await owners.now(devices)).keys()) away.delete(uid)
    const residents = watch.residents.filter((resident) => !resident.connected())
    const left = [
      ...replicas.filter((_, i) => !ready[i]).map(({ name }) => `${name} is not ready`),
      ...[...away, ...residents.map(({ uid }) => uid)].map((uid) => `${uid} is not connected`),
    ]
    if (left.length === 0) return watch.untruths()
    if (performance.now() > until) return left
    await wait(LOOK_EVERY_MS)
  }
}

async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000)
  const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined)
  return answer?.ok ?? false
}
