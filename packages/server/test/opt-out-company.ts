import assert from 'node:assert/strict'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { connectDevice, linkTestDevice, type TestDevice } from './device.ts'
import { newUser } from './seeds.ts'
import { call, type TestServer } from './server.ts'

/** A separate company with an admin, a user and a connected device. */
export async function openCompany(server: TestServer, superadmin: string, company_id: number) {
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: company_id })
  const user = await newUser(server, admin.token)
  const device = await connectDevice(await linkTestDevice(server, admin.token, `drone-${company_id}`))

  const send = (telefono_to: string) =>
    call(server, messages.sendSms, {
      token: user.token,
      body: { device_uid: device.uid, telefono_to, mensaje_sms: 'hola' },
    })

  return {
    company_id,
    device,
    admin: admin.token,
    user: user.token,
    send,
    async queue(telefono_to: string): Promise<string> {
      const { status, body } = await send(telefono_to)
      assert.equal(status, 200, JSON.stringify(body))
      return body.guid
    },
    async entry(guid: string) {
      const { body } = await call(server, listLogs, { token: admin.token, query: { search: guid } })
      return body.logs[0]!
    },
    async blocked(query: Record<string, string> = {}) {
      const { status, body } = await call(server, optOuts.listOptOuts, { token: admin.token, query })
      assert.equal(status, 200)
      return body
    },
    add: (number: string) => call(server, optOuts.addOptOut, { token: admin.token, body: { number } }),
    lift: (id: number, token = admin.token) => call(server, optOuts.liftOptOut, { token, params: { id } }),
    async set(more: Record<string, unknown>) {
      const body = { spoof_time_secs: 0, send_enabled: true, ...more }
      const saved = await call(server, settings.saveGlobalSettings, { token: admin.token, body })
      assert.equal(saved.status, 200, JSON.stringify(saved.body))
    },
  }
}

let received = 0

/** The device receives an SMS; resolves when the server has it. */
export function receive(device: TestDevice, from: string, text: string, id = `sms-${++received}`) {
  return device.publish('inbox', { id, from, text, at: new Date().toISOString() })
}
