import { setTimeout as wait } from 'node:timers/promises'
import type { Browsers, Listening } from './browsers.ts'
import type { Owners } from './owners.ts'
import type { Resident } from './residents.ts'

/** The fate of the devices of servers that died, slept or were cut off; in ms from the start of the fault. */
export type Fate = {
  devices: number
  /** The time until none was shown as connected there, and browsers elsewhere had heard of those that stay away. */
  gone_ms: number | undefined
  told_ms: number | undefined
  /** The time until all except those that stay away were connected at another server, or there again. */
  back_ms: number | undefined
}

type Needs = {
  owners: Owners
  browsers: Browsers
  /** The devices that stay away: residents of the servers. */
  residents: readonly Resident[]
  /** Devices that come and go all the time, and do not count for the return. */
  restless: ReadonlySet<string>
}

const LOOK_EVERY_MS = 100
const GONE_WITHIN_MS = 60_000
const BACK_WITHIN_MS = 150_000

/** Notes the servers' devices before the fault; the returned value follows them from then on. */
export async function noteDevices({ owners, browsers, residents, restless }: Needs) {
  const names = new Set<string>()
  for (const { uid } of residents) {
    const owner = await owners.of(uid)
    if (owner !== undefined) names.add(owner)
  }
  const theirs = (await Promise.all([...names].map((name) => owners.at(name)))).flat()
  const staying = new Set(residents.map(({ uid }) => uid))
  const moving = theirs.filter((uid) => !staying.has(uid) && !restless.has(uid))

  async function until(within_ms: number, began: number, is: () => Promise<boolean>) {
    while (performance.now() < began + within_ms) {
      if (await is()) return performance.now() - began
      await wait(LOOK_EVERY_MS)
    }
    return undefined
  }

  async function isGone(): Promise<boolean> {
    const now = await owners.now(theirs)
    return theirs.every((uid) => !names.has(now.get(uid) ?? ''))
  }

  async function isBack(): Promise<boolean> {
    const now = await owners.now(moving)
    return moving.every((uid) => now.has(uid) && !names.has(now.get(uid)!))
  }

  function areTold(audience: readonly Listening[], since: number): boolean {
    return audience.every((browser) =>
      residents.every(({ uid }) => browser.toldAt(uid, 'disconnected', since) !== undefined),
    )
  }

  return {
    /** `began` in performance.now(); resolves when all is over. */
    async follow(began: number, since: number): Promise<Fate> {
      const places = new Set(residents.map(({ place }) => place))
      const gone: Listening[] = []
      const audience = [...browsers.listening()].filter(({ place }) => !places.has(place))
      for (const browser of audience) void browser.ended.then(() => gone.push(browser))
      const left = () => audience.filter((browser) => !gone.includes(browser))
      const [gone_ms, back_ms, told_ms] = await Promise.all([
        until(GONE_WITHIN_MS, began, isGone),
        until(BACK_WITHIN_MS, began, isBack),
        until(GONE_WITHIN_MS, began, async () => areTold(left(), since)),
      ])
      return { devices: theirs.length, gone_ms, back_ms, told_ms: left().length > 0 ? told_ms : undefined }
    },
  }
}
