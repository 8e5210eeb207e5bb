import { deviceNetworks } from '@sdd/contract/fleet/device-protocol.ts'
import type { Networks, Radio } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Clock } from '#agent/clock.ts'
import type { Driver } from '#agent/driver.ts'
import type { Say } from '#agent/say.ts'
import type { Connection } from './connection.ts'

export type Snapshots = {
  /** On a new connection, and when the server asks. */
  publish: () => void
  /** Something may have changed: published where it has. */
  changed: () => void
  opened: (connection: Connection) => void
  closed: () => void
  /** The last that was taken. */
  last: () => Networks | undefined
  stop: () => void
}

/** The contract asks for one at least every 15 minutes. */
const EVERY_MS = 14 * 60_000
/** Changes that come together are told together, and a signal that wavers is not told each second. */
const SETTLE_MS = 5_000
/** As many characters as the protocol takes. */
const MOST_SAID = 300

export type SnapshotNeeds = {
  uid: string
  driver: Pick<Driver, 'networks' | 'radio'>
  clock: Clock
  say: Say
}

/** Tells the server of the networks. What is not told is not kept: the next snapshot says more. */
export function openSnapshots({ uid, driver, clock, say }: SnapshotNeeds): Snapshots {
  const topic = topicOf(deviceNetworks, { uid })
  let connection: Connection | undefined
  let told: string | undefined
  let last: Networks | undefined
  let taking = false
  let cancelLook: (() => void) | undefined
  let cancelRepeat = clock.after(EVERY_MS, repeat)

  async function take(only_changes: boolean): Promise<void> {
    if (taking || !connection) return
    taking = true
    const read = await driver.networks().catch((error: Error) => {
      say(`the networks could not be read: ${error.message}`)
    })
    taking = false
    const networks = read && { ...read, radio: radioOf(driver) }
    last = networks ?? last
    if (!networks || (only_changes && essence(networks) === told)) return
    told = essence(networks)
    // Where the connection ends before the PUBACK, the next one begins with another.
    await connection?.publish(topic, JSON.stringify(networks)).catch(() => undefined)
  }

  function repeat(): void {
    void take(false)
    cancelRepeat = clock.after(EVERY_MS, repeat)
  }

  return {
    publish: () => void take(false),
    changed() {
      cancelLook ??= clock.after(SETTLE_MS, () => {
        cancelLook = undefined
        void take(true)
      })
    },
    opened(opened) {
      connection = opened
      void take(false)
    },
    closed() {
      connection = undefined
    },
    last: () => last,
    stop() {
      cancelLook?.()
      cancelRepeat()
    },
  }
}

/** The link may be up and the radio not: the server is told of both. */
function radioOf(driver: Pick<Driver, 'radio'>): Radio {
  const { ready, says, last_sent_at } = driver.radio()
  return { ready, says: says.slice(0, MOST_SAID), last_sent_at }
}

/** All of it but when it was taken, and when a message last went out. */
function essence({ wifi, mobile, radio }: Networks): string {
  const when = { captured_at: null }
  return JSON.stringify([
    wifi && { ...wifi, ...when },
    mobile && { ...mobile, ...when },
    radio?.ready,
    radio?.says,
  ])
}
