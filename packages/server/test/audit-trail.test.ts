import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { listLogs, exportLogs } from '@sdd/contract/insight/log.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { eventually } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer({ settings: { PROXIES: '127.0.0.1' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

function newAdmin() {
  return newUser(server, superadmin, { role: 'admin', companyId: ++companies })
}

/** The entries about these subjects, newest first. */
async function entries(token: string, subject: audit.AuditSubject) {
  const { body } = await call(server, audit.listAudit, { token, query: { subject } })
  return body.entries
}

test('each entry has the caller’s address, and behind a known proxy that of the proxy’s client', async () => {
  const { token, name, id } = await newAdmin()
  const made = await call(server, devices.createLinkCode, { token, body: {}, address: '203.0.113.7' })
  const { code } = made.body
  const joined = await call(server, devices.linkDevice, { body: { code }, address: '2001:db8::9' })
  const { uid } = joined.body
  await call(server, devices.unlinkDevice, { token, params: { uid }, address: '10.0.0.1, 203.0.113.8' })
  const by = { by: name, user_id: id }
  const trail = [...(await entries(token, 'device')), ...(await entries(token, 'link_code'))]
  assert.deepEqual(
    trail.map(({ action, by, user_id, address, name }) => ({ action, by, user_id, address, name })),
    [
      { action: 'device.unlinked', ...by, address: '203.0.113.8', name: uid },
      // The user is the code's maker, the address the device's.
      { action: 'device.linked', ...by, address: '2001:db8::9', name: uid },
      { action: 'link_code.created', ...by, address: '203.0.113.7', name: trail[2]!.name },
    ],
  )
  assert.ok(trail[2]!.name!.startsWith(code.slice(0, 4)) && !trail[2]!.name!.includes(code.slice(0, 5)))
})

test('a task that an API key discards is recorded once, with the key’s name and no user', async () => {
  const { token } = await newAdmin()
  const key = (await call(server, apiKeys.createApiKey, { token, body: { name: 'the shop' } })).body.key
  const task = { guid: 'unwanted', to_number: '600111222', text: 'hola' }
  await call(server, tasks.createTasks, { token: key, body: task })
  const params = { guid: task.guid }
  for (let n = 0; n < 2; n++)
    assert.equal((await call(server, tasks.discardTask, { token: key, params })).status, 200)
  const found = await entries(token, 'task')
  assert.deepEqual(
    found.map(({ action, by, user_id, address, name }) => ({ action, by, user_id, address, name })),
    [{ action: 'task.discarded', by: 'the shop', user_id: null, address: '127.0.0.1', name: 'unwanted' }],
  )
})

test('an export is recorded with its filters; a refused export and a page of the list are not', async () => {
  const { token, name } = await newAdmin()
  await call(server, exportLogs, { token, query: { state: 'failed', search: '600111' } })
  await call(server, exportLogs, { token })
  await call(server, exportLogs, { token, query: { state: 'no such state' } })
  await call(server, listLogs, { token, query: { state: 'failed' } })
  assert.deepEqual(
    (await entries(token, 'log')).map(({ action, by, name }) => [action, by, name]),
    [
      ['log.exported', name, 'everything'],
      ['log.exported', name, 'search=600111, state=failed'],
    ],
  )
})

test('entries are found by their action or by the changed field, and exported with the same filters', async () => {
  const { token, name } = await newAdmin()
  await call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs: 3, send_enabled: true } })
  await call(server, settings.saveGlobalSettings, {
    token,
    body: { spoof_time_secs: 3, send_enabled: false },
  })
  const actions = async (query: Record<string, string>) =>
    (await call(server, audit.listAudit, { token, query })).body.entries.map(({ action }) => action)
  assert.deepEqual(await actions({ changed: 'send_enabled' }), ['settings.saved'])
  assert.deepEqual(await actions({ action: 'settings.saved' }), ['settings.saved', 'settings.saved'])
  assert.deepEqual(await actions({ action: 'settings' }), ['settings.saved', 'settings.saved'])
  assert.deepEqual(await actions({ action: 'login.failed' }), [])
  const url = `${server.url}/api/audit-log.csv?changed=send_enabled`
  const file = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()
  const [head, line, rest] = file.split('\r\n')
  assert.equal(head, 'ID,Company ID,At,By,User ID,Address,Action,Subject,Name,Changes')
  assert.match(line!, new RegExp(`,${name},\\d+,127\\.0\\.0\\.1,settings\\.saved,settings,Global,`))
  assert.equal(rest, '')
  assert.deepEqual(await actions({ action: 'log.exported' }), ['log.exported'])
})

test('many exports of the audit log are at most 30 entries a minute, the last of which counts the rest', async () => {
  const { token } = await newAdmin()
  const headers = { authorization: `Bearer ${token}` }
  for (let n = 0; n < 40; n++) await (await fetch(`${server.url}/api/audit-log.csv`, { headers })).text()
  const found = await entries(token, 'log')
  const names = Map.groupBy(found, ({ name }) => name)
  assert.deepEqual([names.get('audit log')?.length, names.get('several')?.length], [29, 1])
  assert.match(JSON.stringify(names.get('several')), /"to":40/)
})

test('a refused call of a signed-in user is recorded for the admins, and changes nothing', async () => {
  const admin = await newAdmin()
  const user = await newUser(server, admin.token)
  for (let n = 0; n < 3; n++) {
    const refused = await call(server, devices.createLinkCode, {
      token: user.token,
      body: {},
      address: '203.0.113.1',
    })
    assert.equal(refused.status, 403)
  }
  assert.equal((await call(server, audit.listAudit, { token: user.token })).status, 403)
  const raised = { ...user, role: 'superadmin', password: undefined }
  assert.equal((await call(server, saveUser, { token: admin.token, body: raised })).status, 403)
  const found = await eventually(async () => {
    const found = await entries(admin.token, 'call')
    return found.some(({ changes }) => changes['times']?.to === 3) && found
  })
  assert.deepEqual(
    found.map(({ action, by, user_id, address, name, changes }) => ({
      action,
      by,
      user_id,
      address,
      name,
      changes,
    })),
    [
      {
        action: 'call.refused',
        by: admin.name,
        user_id: admin.id,
        address: '127.0.0.1',
        name: 'POST /api/user',
        changes: { code: { from: null, to: 'forbidden' } },
      },
      {
        action: 'call.refused',
        by: user.name,
        user_id: user.id,
        address: '203.0.113.1',
        name: 'POST /api/link-codes',
        changes: { code: { from: null, to: 'forbidden' }, times: { from: null, to: 3 } },
      },
    ],
  )
  assert.equal((await call(server, devices.listLinkCodes, { token: admin.token })).body.link_codes.length, 0)
})
