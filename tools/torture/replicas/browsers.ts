import { setTimeout as wait } from 'node:timers/promises'
import { type DeviceStatus, Changed, type StatusChange } from '../../../packages/contract/src/core/live.ts'
import { connectBrowser, type TestBrowser } from '../../../packages/server/test/browser.ts'

/** The events about devices that browsers received, each at its own server. */
export type Browsers = {
  /** The currently connected ones. Each is a connection, which ends with its server and is another one afterwards. */
  listening(): ReadonlySet<Listening>
  stop(): Promise<void>
}

export type Listening = {
  /** The index of its server. */
  readonly place: number
  /** When it received this status of a device, at or after that time (performance.now()); `undefined` if it did not. */
  toldAt(uid: string, status: DeviceStatus, since: number): number | undefined
  readonly ended: Promise<void>
}

const AGAIN_MS = 200

/** A browser at each of these servers, which reconnects when its connection has ended. */
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

/** If a server may have missed events from others, its browsers reload everything they show. */
function isEverything(changed: readonly string[]): boolean {
  return changed.length === Changed.options.length
}
