import { join } from 'node:path'
import { type Receiver, startReceiver } from '../../packages/simulator/src/receiver.ts'
import { startTorturedDevices, type TorturedDevices } from '../../packages/simulator/src/torture/devices.ts'
import { type Load, startLoad } from '../../packages/simulator/src/torture/load.ts'
import { type Observer, startObserver } from '../../packages/simulator/src/torture/observer.ts'
import { type Accounts, MAX_SMS_DAYLY } from './installation.ts'

/** All parties that deal with the current server; each keeps its own records. */
export type Parties = {
  readonly load: Load
  readonly devices: TorturedDevices
  readonly receiver: Receiver
  readonly observer: Observer
  /** Ends them at once, whatever they are doing. */
  abandon(): Promise<void>
}

type Needs = {
  server_url: string
  mqtt_url: string
  readyAt: () => number | undefined
  accounts: Accounts
  folder: string
  seed: string
  failing: number
  /** The rate of mishaps to devices, relative to the usual one, and the rate of checks of the log. */
  mishaps?: number
  look_every_ms?: number
}

/** Starts them while the server serves; resolves once every device is connected. No messages are submitted yet. */
export async function startParties(needs: Needs): Promise<Parties> {
  const { server_url, mqtt_url, readyAt, accounts, folder, seed, failing } = needs
  const { token, key, webhook_secret } = accounts
  const receiver = await startReceiver({ webhook_secret, refusing: failing, seed })
  const devices = await startTorturedDevices({
    mqtt_url,
    ledger_path: join(folder, 'devices.ledger'),
    accounts: accounts.devices,
    max_sms_dayly: MAX_SMS_DAYLY,
    failing,
    mishaps: needs.mishaps,
    seed,
  })
  const uids = accounts.devices.map(({ uid }) => uid)
  const load = startLoad({ server_url, key, token, uids, receiver, seed })
  const observer = startObserver({ server_url, token, readyAt, every_ms: needs.look_every_ms })
  return {
    load,
    devices,
    receiver,
    observer,
    async abandon() {
      load.abandon()
      devices.abandon()
      await observer.stop()
      await receiver.stop()
    },
  }
}

/** One line of progress. */
export function progressOf({ load, devices }: Pick<Parties, 'load' | 'devices'>): string {
  const { on_air, connected, crashes } = devices.counts()
  const taken = `${load.acknowledged()} of ${load.released()} messages acknowledged`
  return `  ${taken} · ${on_air} on air · ${connected} devices connected, ${crashes} killed`
}
