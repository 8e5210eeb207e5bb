import { setTimeout as wait } from 'node:timers/promises'
import type { Browsers, Listening } from './browsers.ts'
import type { Owners } from './owners.ts'
import type { Resident } from './residents.ts'

/** What became of the devices of servers that died, slept or were cut off; in ms from when that began. */
export type Fate = {
  devices: number
  /** Until none of them was shown connected there, and until browsers at the other servers were told of those who stayed away. */
  gone_ms: number | undefined
  told_ms: number | undefined
  /** Until all but those who stay away were connected at another server, or there again. */
  back_ms: number | undefined
}

type Needs = {
  owners: Owners
  browsers: Browsers
  /** Who stays away: residents of the servers. */
  residents: readonly Resident[]
  /** Not counted for being back: whoever comes and goes all the time. */
  restless: ReadonlySet<string>
}

const LOOK_EVERY_MS = 100
const GONE_WITHIN_MS = 60_000
const BACK_WITHIN_MS = 150_000

/** Notes whose devices they are now, before it begins; what is answered follows them from then on. */
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
