import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey } from '../../packages/contract/src/accounts/api-keys.ts'
import { openClient } from '../../packages/contract/src/core/client.ts'
import type { LinkedDevice } from '../../packages/contract/src/fleet/devices.ts'
import { saveDeviceLimit } from '../../packages/contract/src/fleet/limits.ts'
import { linkFleet } from '../../packages/simulator/src/link.ts'
import { freePort } from '../../scripts/free-port.ts'
import { openSession } from '../../scripts/session.ts'

const PASSWORD = 'correct horse battery'
/** More than any device sends in a run. */
export const MAX_SMS_DAYLY = 100_000

/** Settings of a server with its own ports and data below this folder. */
export async function newSettings(folder: string) {
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir, { mode: 0o700 })
  return {
    HOST: '127.0.0.1',
    PORT: await freePort(),
    MQTT_PORT: await freePort(),
    DATA_DIR: data_dir,
    ADMIN_PASSWORD: PASSWORD,
    CALLBACK_ADDRESSES: 'any',
    LOG_LEVEL: 'warn',
    TZ: 'UTC',
  }
}

export type Accounts = {
  /** The superadmin's session, and an API key with the secret of its callbacks. */
  token: string
  key: string
  webhook_secret: string
  devices: LinkedDevice[]
}

/** Logs in, makes an API key, and links this many devices without a daily limit. */
export async function makeAccounts(url: string, folder: string, devices: number): Promise<Accounts> {
  const token = await openSession(url, { username: 'superadmin', password: PASSWORD })
  const { call } = openClient({ url, token })
  const { key, webhook_secret } = await call(createApiKey, { query: {}, body: { name: 'torture' } })
  const path = join(folder, 'devices.jsonl')
  const linked = await linkFleet({ server_url: url, token, count: devices, prefix: 'drone-', path })
  for (const { uid } of linked) {
    await call(saveDeviceLimit, { body: { uid, max_sms_dayly: MAX_SMS_DAYLY } })
  }
  return { token, key, webhook_secret, devices: linked }
}
