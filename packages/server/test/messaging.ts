import * as auth from '@sdd/contract/accounts/auth.ts'
import { type LogEntry, listLogs } from '@sdd/contract/insight/log.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import { connectDevice, linkTestDevice, type TestDevice } from './device.ts'
import { ADMIN, call, startServer } from './server.ts'

/** A server whose superadmin sends through devices and reads the results. */
export async function startMessaging() {
  const server = await startServer({ settings: { CALLBACK_ADDRESSES: 'any' } })
  const token = (await call(server, auth.login, { body: ADMIN })).body.access_token
  let count = 0

  return {
    server,
    token,
    async newDevice(): Promise<TestDevice> {
      return connectDevice(await linkTestDevice(server, token, `drone-${++count}`))
    },
    send(device: { uid: string }, more: Record<string, unknown> = {}) {
      return call(server, messages.sendSms, {
        token,
        body: { device_uid: device.uid, telefono_to: '+34600111222', mensaje_sms: 'hola', ...more },
      })
    },
    async entryOf(guid: string): Promise<LogEntry> {
      const { body } = await call(server, listLogs, { token, query: { search: guid } })
      return body.logs[0]!
    },
    setLimit(device: { uid: string }, max_sms_dayly: number) {
      return call(server, saveDeviceLimit, { token, body: { uid: device.uid, max_sms_dayly } })
    },
    setGlobal(change: Partial<settings.GlobalSettingsChange>) {
      return call(server, settings.saveGlobalSettings, {
        token,
        body: { spoof_time_secs: 0, send_enabled: true, ...change },
      })
    },
  }
}
