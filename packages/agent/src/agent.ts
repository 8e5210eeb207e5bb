import type { Clock } from './clock.ts'
import { openRecentLines } from './device/recent-lines.ts'
import { configure, type SettingChanges } from './device/configure.ts'
import { type Device, type DeviceState, startDevice } from './device/device.ts'
import { openDiskRetry } from './device/disk-retry.ts'
import type { DriverKinds, Settings } from './drivers.ts'
import type { Folder, Membership } from './folder.ts'
import type { Ledger } from './ledger/ledger.ts'
import { about, type Say } from './say.ts'

type Agent = {
  /** The state of each device that could be started. */
  states: () => DeviceState[]
  /** Each device finishes the message it is sending, then disconnects. Takes 80 s at most. */
  stop: () => Promise<void>
}

type AgentNeeds = {
  devices: readonly Membership[]
  kinds: DriverKinds
  ledger: Ledger
  clock: Clock
  random: () => number
  say: Say
  /** Its folder: the free space of its disk is reported, and settings that an order changes are stored there. */
  folder: Pick<Folder, 'path' | 'changeSettings'>
  /** Aborted to stop the agent while it is still starting: with a full disk, starting waits for free space. */
  stop: AbortSignal
}

const CLEAN_EVERY_MS = 6 * 3_600_000

/**
 * Starts every device. A device whose driver cannot be opened is logged and left out; rejects if none is left. The
 * caller closes the ledger.
 */
export async function startAgent(needs: AgentNeeds): Promise<Agent> {
  const { devices, kinds, ledger, clock, random, say } = needs
  const diskRetry = openDiskRetry({ clock, say })
  needs.stop.addEventListener('abort', diskRetry.stop)
  const started = await Promise.all(devices.map(start))
  needs.stop.removeEventListener('abort', diskRetry.stop)
  const running = started.filter((device) => device !== undefined)
  if (running.length === 0) throw new Error('No device could be started: see the errors above')
  let cancelClean = clock.after(0, clean)

  async function start(device: Membership): Promise<Device | undefined> {
    const { uid, driver, settings, linked_at } = device
    const { say: sayOf, last } = openRecentLines(clock, about(uid, say))
    const kind = kinds[driver]
    if (!kind) {
      sayOf(`this agent has no driver ${driver}: link it again with one of ${Object.keys(kinds).join(', ')}`)
      return undefined
    }
    let current: Settings = settings
    try {
      return await startDevice({
        account: device,
        openDriver: (keeper) => kind.open({ settings, keeper, clock, say: sayOf, since: linked_at }),
        ledger: ledger.device(uid),
        diskRetry,
        clock,
        random,
        say: sayOf,
        last,
        folder: needs.folder.path,
        configure: async (opened, wanted) => {
          const keep = (changes: SettingChanges): void => needs.folder.changeSettings(uid, changes)
          const { done, settings } = await configure(
            { kind, driver: opened, settings: current, keep },
            wanted,
          )
          current = settings
          return done
        },
      })
    } catch (error) {
      sayOf(`cannot start: ${(error as Error).message}`)
      return undefined
    }
  }

  function clean(): void {
    diskRetry.attempt(() => ledger.clean(new Date(clock.now()).toISOString()))
    cancelClean = clock.after(CLEAN_EVERY_MS, clean)
  }

  return {
    states: () => running.map((device) => device.state()),
    async stop() {
      cancelClean()
      await Promise.all(running.map((device) => device.stop()))
      diskRetry.stop()
    },
  }
}
