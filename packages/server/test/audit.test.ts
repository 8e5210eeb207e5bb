import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { routes } from '@sdd/contract/app/api.ts'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { testRoutes } from '@sdd/contract/fleet/routes.ts'
import { testAlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as conversations from '@sdd/contract/people/conversations.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { hashSecret } from '#server/core/secrets.ts'
import { connectBrowser } from './browser.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import { call } from './server.ts'
import { changing } from './audited-calls.ts'
import { keepSecrets, newAdmin, secrets, server } from './audited-server.ts'

/** Routes that write without an audit entry, and why. */
const unrecorded = new Map<Route, string>([
  [auth.logout, 'who comes and goes changes nothing'],
  [auth.proveSession, 'it changes nothing by itself'],
  [users.chooseLanguage, 'it changes only what the caller sees'],
  [secondFactor.enrolSecondFactor, 'it does nothing until it is confirmed'],
  [messages.sendSms, 'the transaction log has each message'],
  [conversations.answerConversation, 'the transaction log has each message'],
  [conversations.discardAnswer, 'the transaction log has each message'],
  [conversations.changeConversation, 'it is daily work on messages, which the conversation shows'],
  [campaignRows.uploadRows, 'it fills a draft, and the audit log has its start'],
  [callbacks.testWebhook, 'it sends a test, and stores nothing'],
  [testAlertChannel, 'it sends a test, and stores only its outcome'],
  [testRoutes, 'it stores nothing'],
  [tasks.createTasks, 'another system does it; the tasks are a log of their own'],
])

async function log(token: string, query: Record<string, string> = {}) {
  const { status, body } = await call(server, audit.listAudit, { token, query })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('this test has every route by which a person changes something', () => {
  const writing = routes.filter(({ method, may }) => method !== 'GET' && may !== 'anyone')
  assert.deepEqual(
    writing.filter((route) => !changing.has(route) && !unrecorded.has(route)).map(nameOf),
    [],
    'a change must be in the audit log, or unrecorded for a reason',
  )
})

/** Of actions whose subject is not their first word. */
const subjects: Record<string, string> = {
  order: 'device',
  alert_rule: 'alert',
  alert_channel: 'alert',
  alert_settings: 'alert',
}

// Each has its own company. With higher concurrency, too many passwords would queue.
describe('what a person changes', { concurrency: 4 }, () => {
  for (const [route, cases] of changing) {
    for (const [action, of] of cases) {
      test(`${nameOf(route)} leaves ${action} in the audit log, and browsers hear of it`, async (t) => {
        const admin = await newAdmin(holds('admin', route.may) ? 'admin' : 'superadmin')
        const asked = await of(admin)
        const { code } = (await call(server, devices.createLinkCode, { token: admin.token, body: {} })).body
        const browser = await connectBrowser(server, admin.token)
        t.after(() => browser.stop())
        const heard = (list: string) => browser.changes.some(({ changed }) => changed.includes(list))
        // This live change comes after all earlier ones.
        assert.equal((await call(server, devices.linkDevice, { body: { code } })).status, 201)
        await eventually(() => heard('devices'))
        const [last] = (await log(admin.token)).entries
        browser.changes.length = 0
        const answer = await call(server, route, { token: admin.token, ...asked })
        assert.ok(answer.status >= 200 && answer.status < 300, JSON.stringify(answer.body))
        keepSecrets((answer.body as object | undefined) ?? {})
        // A superadmin reads the changes that other tests make meanwhile, too.
        const isFresh = ({ id, user_id }: { id: number; user_id: number | null }) =>
          id > (last?.id ?? 0) && user_id === admin.id
        const fresh = (await log(admin.token)).entries.filter(isFresh)
        assert.deepEqual(
          fresh.map(({ action, by, user_id, address }) => ({ action, by, user_id, address })),
          [{ action, by: admin.name, user_id: admin.id, address: '127.0.0.1' }],
        )
        const noun = action.split('.')[0]!
        assert.equal(fresh[0]!.subject, subjects[noun] ?? noun)
        assert.ok(fresh[0]!.name)
        await eventually(() => heard('audit'))
      })
    }
  }
})

test('no secret or hash of one is in the audit log', async () => {
  const rows = await withTables(server, ({ all }) => all('select * from audit_log'))
  const text = JSON.stringify(rows)
  assert.ok(rows.length > changing.size)
  assert.ok(secrets.size >= 7, [...secrets].join(' '))
  for (const secret of secrets) {
    assert.ok(!text.includes(secret), secret)
    assert.ok(!text.includes(hashSecret(secret)), secret)
  }
  assert.doesNotMatch(text, /argon2|[0-9a-f]{64}|sd[adks]_|whsec_/)
})
