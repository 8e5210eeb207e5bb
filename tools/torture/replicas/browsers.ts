import { setTimeout as wait } from 'node:timers/promises'
import { type DeviceStatus, Changed, type StatusChange } from '../../../packages/contract/src/core/live.ts'
import { connectBrowser, type TestBrowser } from '../../../packages/server/test/browser.ts'

/** What browsers were told of a device, each at a server of its own. */
export type Browsers = {
  /** Those that are connected now: each is a connection, which ends with its server and is another one afterwards. */
  listening(): ReadonlySet<Listening>
  stop(): Promise<void>
}

export type Listening = {
  /** Whose server it is. */
  readonly place: number
  /** When it was told this of a device, at or after that time (performance.now()); `undefined` where it was not. */
  toldAt(uid: string, status: DeviceStatus, since: number): number | undefined
  readonly ended: Promise<void>
}

const AGAIN_MS = 200

/** A browser at each of these servers, that comes back when its connection has ended. */
export function openBrowsers(urls: readonly string[], token: string): Browsers {
  const now = new Map<number, { browser: TestBrowser; listening: Listening }>()
  let stopped = false

  async function keep(url: string, place: number): Promise<void> {
    while (!stopped) {
      const browser = await connectBrowser({ url }, token).catch(() => undefined)
      if (browser === undefined) {
        await wait(AGAIN_MS)
        continue
      }
      now.set(place, { browser, listening: listeningOf(browser, place) })
      if (stopped) await browser.stop()
      await browser.ended
      now.delete(place)
    }
  }

  const keeping = urls.map(keep)
  return {
    listening: () => new Set([...now.values()].map(({ listening }) => listening)),
    async stop() {
      stopped = true
      await Promise.all([...now.values()].map(({ browser }) => browser.stop()))
      await Promise.all(keeping)
    },
  }
}

function listeningOf({ statuses, changes, ended }: TestBrowser, place: number): Listening {
  return {
    place,
    ended,
    toldAt(uid, status, since) {
      const said = (one: StatusChange) => one.device_uid === uid && one.status === status
      const told =
        statuses.findLast((one) => said(one) && one.at_ms >= since) ??
        changes.find((one) => isEverything(one.changed) && one.at_ms >= since)
      return told?.at_ms
    },
  }
}

/** Where a server may have missed what others told it, its browsers load all that they show again. */
function isEverything(changed: readonly string[]): boolean {
  return changed.length === Changed.options.length
}
