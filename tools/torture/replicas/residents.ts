import { setTimeout as wait } from 'node:timers/promises'
import type { LinkedDevice } from '../../../packages/contract/src/fleet/devices.ts'
import { connectDevice, type TestDevice } from '../../../packages/server/test/device.ts'

/** A device that connects to one server only, and stays away when told to. */
export type Resident = {
  readonly uid: string
  /** The index of its server. */
  readonly place: number
  connected(): boolean
  /** It does not return before `comeBack`; its connection ends when its server ends it. */
  stayAway(): void
  comeBack(): void
  stop(): Promise<void>
}

type Needs = { account: LinkedDevice; mqtt_url: string; place: number }

const AGAIN_MS = 300

export function startResident({ account: { uid, secret }, mqtt_url, place }: Needs): Resident {
  let device: TestDevice | undefined
  let away = false
  let stopped = false

  async function live(): Promise<void> {
    while (!stopped) {
      if (!away) device = await connectDevice({ uid, secret, mqtt_url }).catch(() => undefined)
      if (stopped) device?.client.end(true)
      await device?.ended
      device = undefined
      await wait(AGAIN_MS)
    }
  }

  const living = live()
  return {
    uid,
    place,
    connected: () => device !== undefined,
    stayAway: () => void (away = true),
    comeBack: () => void (away = false),
    async stop() {
      stopped = true
      await device?.client.endAsync(true)
      await living
    },
  }
}
