import { statfs } from 'node:fs/promises'
import { deviceTelemetry } from '@sdd/contract/fleet/device-protocol.ts'
import type { Telemetry } from '@sdd/contract/fleet/telemetry.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import type { Driver } from '#agent/driver.ts'
import type { Connection } from './connection.ts'

type Reporter = {
  opened: (connection: Connection) => void
  closed: () => void
  stop: () => void
}

/** The protocol allows one a minute. */
const EVERY_MS = 60_000
const FIRST_MS = 5_000

type TelemetryNeeds = {
  uid: string
  driver: Pick<Driver, 'telemetry'>
  clock: Clock
  /** The free space of this folder's disk is reported, in MB. */
  folder: string | undefined
}

/** Publishes what the device knows about itself once a minute. Lost telemetry is not kept: the next one replaces it. */
export function startTelemetry({ uid, driver, clock, folder }: TelemetryNeeds): Reporter {
  const topic = topicOf(deviceTelemetry, { uid })
  let connection: Connection | undefined
  let cancel = clock.after(FIRST_MS, repeat)

  function repeat(): void {
    cancel = clock.after(EVERY_MS, repeat)
    if (connection) void publish(connection)
  }

  async function publish(current: Connection): Promise<void> {
    const said = await driver.telemetry?.().catch(() => ({}))
    const disk_free_mb = folder === undefined ? undefined : await freeMb(folder)
    const telemetry: Telemetry = {
      at: isoNow(clock),
      ...said,
      ...(disk_free_mb !== undefined && { disk_free_mb }),
    }
    if (Object.keys(telemetry).length === 1 || current !== connection) return
    await current.publish(topic, JSON.stringify(telemetry)).catch(() => undefined)
  }

  return {
    opened: (opened) => void (connection = opened),
    closed: () => void (connection = undefined),
    stop: () => cancel(),
  }
}

async function freeMb(folder: string): Promise<number | undefined> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk && Math.floor((disk.bavail * disk.bsize) / 1_000_000)
}
