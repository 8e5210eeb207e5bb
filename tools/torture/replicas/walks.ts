import { setTimeout as wait } from 'node:timers/promises'
import type { LinkedDevice } from '../../../packages/contract/src/fleet/devices.ts'
import type { DeviceStatus } from '../../../packages/contract/src/core/live.ts'
import { connectDevice, type TestDevice } from '../../../packages/server/test/device.ts'
import type { Browsers, Listening } from './browsers.ts'

/** A device that comes and goes at one server all the time, and the time until browsers at the others hear of it. */
export type Walk = {
  /** For each change and each browser at another server that was connected throughout. */
  readonly heard: readonly Heard[]
  stop(): Promise<void>
}

export type Heard = {
  readonly uid: string
  readonly status: DeviceStatus
  readonly from: number
  readonly to: number
  /** When the server acknowledged to the device that it is stored (performance.now()). */
  readonly at: number
  /** The time from then until the browser heard of it; `undefined` if it did not. */
  readonly ms: number | undefined
}

type Needs = { account: LinkedDevice; mqtt_url: string; place: number; browsers: Browsers }

const STAYS_MS = 900
/** An event later than this is missing. */
const TOLD_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 20
const AGAIN_MS = 300

export function startWalk({ account: { uid, secret }, mqtt_url, place, browsers }: Needs): Walk {
  const heard: Heard[] = []
  const listening = new Set<Promise<void>>()
  let stopped = false

  function watch(status: DeviceStatus, said: number, audience: Iterable<Listening>): void {
    const at = performance.now()
    for (const browser of audience) {
      if (browser.place === place) continue
      const one: Promise<void> = hear(browser, status, said, at).finally(() => listening.delete(one))
      listening.add(one)
    }
  }

  /** Other parties may hear of it before the device itself. */
  async function hear(browser: Listening, status: DeviceStatus, said: number, at: number): Promise<void> {
    let gone = false
    void browser.ended.then(() => (gone = true))
    while (!gone) {
      const told = browser.toldAt(uid, status, said)
      const late = performance.now() > at + TOLD_WITHIN_MS
      if (told !== undefined || late) {
        const ms = told === undefined ? undefined : Math.max(0, told - at)
        heard.push({ uid, status, from: place, to: browser.place, at, ms })
        return
      }
      await wait(LOOK_EVERY_MS)
    }
  }

  /** Only acknowledged statuses may be visible. */
  async function visit(): Promise<void> {
    const before = browsers.listening()
    const came = performance.now()
    const device: TestDevice | undefined = await connectDevice({ uid, secret, mqtt_url }).catch(
      () => undefined,
    )
    if (device === undefined) return
    watch('connected', came, before)
    await Promise.race([wait(STAYS_MS), device.ended])
    const still = browsers.listening()
    const leaves = performance.now()
    const left = device.stop().then(
      () => true,
      () => false,
    )
    if (await Promise.race([left, device.ended.then(() => wait(AGAIN_MS, false))]))
      watch('disconnected', leaves, still)
    device.client.end(true)
  }

  async function walk(): Promise<void> {
    while (!stopped) {
      await visit()
      await wait(AGAIN_MS + STAYS_MS)
    }
    await Promise.all(listening)
  }

  const walking = walk()
  return {
    heard,
    async stop() {
      stopped = true
      await walking
    },
  }
}
