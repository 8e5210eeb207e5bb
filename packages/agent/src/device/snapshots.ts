import { deviceNetworks } from '@sdd/contract/fleet/device-protocol.ts'
import type { Networks, Radio } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Clock } from '#agent/clock.ts'
import type { Driver } from '#agent/driver.ts'
import type { Say } from '#agent/say.ts'
import type { Connection } from './connection.ts'

type Snapshots = {
  /** Publishes a snapshot, because the server asks for one. */
  publish: () => void
  /** Something may have changed; a snapshot is published if it has. */
  changed: () => void
  opened: (connection: Connection) => void
  closed: () => void
  /** The last snapshot. */
  last: () => Networks | undefined
  stop: () => void
}

/** The contract requires one at least every 15 minutes. */
const EVERY_MS = 14 * 60_000
/** Collects changes, and avoids a report every second for an unsteady signal. */
const SETTLE_MS = 5_000
/** The protocol's limit of characters. */
const MOST_SAID = 300

type SnapshotNeeds = {
  uid: string
  driver: Pick<Driver, 'networks' | 'radio'>
  clock: Clock
  say: Say
}

/** Publishes the networks to the server. A lost snapshot is not stored, because the next one replaces it. */
export function openSnapshots({ uid, driver, clock, say }: SnapshotNeeds): Snapshots {
  const topic = topicOf(deviceNetworks, { uid })
  let connection: Connection | undefined
  let published: string | undefined
  let last: Networks | undefined
  let taking = false
  /** A snapshot that was asked for while another was being read. */
  let next: { only_changes: boolean } | undefined
  let cancelLook: (() => void) | undefined
  let cancelRepeat = clock.after(EVERY_MS, repeat)

  async function take(only_changes: boolean): Promise<void> {
    if (!connection) return
    if (taking) {
      next = { only_changes: only_changes && (next?.only_changes ?? true) }
      return
    }
    taking = true
    const read = await driver.networks().catch((error: Error) => {
      say(`the networks could not be read: ${error.message}`)
    })
    taking = false
    const networks = read && { ...read, radio: radioOf(driver) }
    last = networks ?? last
    if (networks && !(only_changes && essence(networks) === published)) tell(networks)
    const wanted = next
    next = undefined
    if (wanted) void take(wanted.only_changes)
  }

  /** If the connection ends before the PUBACK, the next one begins with another snapshot. */
  function tell(networks: Networks): void {
    published = essence(networks)
    connection?.publish(topic, JSON.stringify(networks)).catch(() => undefined)
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

/** The connection may be up while the radio is not, so the server gets both. */
function radioOf(driver: Pick<Driver, 'radio'>): Radio {
  const { ready, says, last_sent_at } = driver.radio()
  return { ready, says: says.slice(0, MOST_SAID), last_sent_at }
}

/** The snapshot without its times, for comparison. */
function essence({ wifi, mobile, radio }: Networks): string {
  const when = { captured_at: null }
  return JSON.stringify([
    wifi && { ...wifi, ...when },
    mobile && { ...mobile, ...when },
    radio?.ready,
    radio?.says,
  ])
}
