import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as quotas from '@sdd/contract/accounts/quotas.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { connectBrowser } from './browser.ts'
import { enter, newUser, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let token: string

before(async () => {
  server = await startServer()
  ;({ token } = await enter(server, ADMIN.username, ADMIN.password))
})
after(() => server.stop())

let companies = 10

/** A separate company with these quotas, and its admin. */
async function companyWith(change: quotas.QuotasChange) {
  const company_id = ++companies
  const admin = await newUser(server, token, { role: 'admin', companyId: company_id })
  const query = { company: String(company_id) }
  const saved = await call(server, quotas.saveQuotas, { token, query, body: change })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  return { admin, query, saved: saved.body }
}

function isFull(answer: { status: number; body: unknown }, quota: string): void {
  const { code, detail } = answer.body as { code: string; detail: string }
  assert.deepEqual([answer.status, code], [429, 'quota_reached'])
  assert.match(detail, new RegExp(`quota ${quota}.*superadmin`))
}

test('a superadmin sets a company’s quotas, its admin reads them, and the change is audited', async () => {
  const { admin, query, saved } = await companyWith({ devices: 7, users: 20 })
  assert.deepEqual(saved.quotas.devices, { most: 7, usual: 10_000, used: 0 })
  assert.deepEqual(saved.quotas.users, { most: 20, usual: 1_000, used: 1 })
  assert.deepEqual(saved.quotas.sessions, { most: 200, usual: 200, used: null })
  const own = await call(server, quotas.readQuotas, { token: admin.token })
  assert.deepEqual(own.body, saved)
  const { entries } = (await call(server, audit.listAudit, { token: admin.token })).body
  const { action, changes } = entries[0]!
  assert.equal(action, 'settings.quotas_changed')
  assert.deepEqual(changes, { devices: { from: 10_000, to: 7 }, users: { from: 1_000, to: 20 } })
  const back = await call(server, quotas.saveQuotas, { token, query, body: { devices: null } })
  assert.equal(back.body.quotas.devices.most, 10_000)
  assert.equal(back.body.quotas.users.most, 20)
  assert.equal(
    (await call(server, quotas.saveQuotas, { token: admin.token, body: { users: 9 } })).status,
    403,
  )
  const other = await call(server, quotas.readQuotas, { token: admin.token, query: { company: '1' } })
  assert.equal(other.status, 404)
  assert.equal((await call(server, quotas.saveQuotas, { token, query, body: { devices: -1 } })).status, 422)
})

test('a company over its quota of waiting tasks is refused, in a batch only the excess, and others are not', async () => {
  const { admin } = await companyWith({ waiting_tasks: 3 })
  const task = (guid: string) => ({ guid, to_number: '+34600111222', text: 'hola' })
  const submitTasks = (body: Record<string, unknown>, by = admin.token) =>
    call(server, tasks.createTasks, { token: by, body })
  assert.equal((await submitTasks(task('one'))).status, 202)
  const { body } = await submitTasks({ tasks: ['two', 'three', 'four', 'five'].map(task) })
  const { results } = body as { results: tasks.TaskResult[] }
  const received = { status: 'received' }
  assert.deepEqual(
    results.map(({ status, code }) => (code ? { status, code } : { status })),
    [received, received, ...Array(2).fill({ status: 'refused', code: 'quota_reached' })],
  )
  isFull(await submitTasks(task('six')), 'waiting_tasks')
  assert.equal((await submitTasks(task('one'))).status, 200, 'an existing task is a repetition')
  const other = await companyWith({})
  assert.equal((await submitTasks(task('six'), other.admin.token)).status, 202)
  await call(server, tasks.discardTask, { token: admin.token, params: { guid: 'two' } })
  assert.equal((await submitTasks(task('six'))).status, 202)
  const { quotas: now } = (await call(server, quotas.readQuotas, { token: admin.token })).body
  assert.deepEqual(now.waiting_tasks, { most: 3, usual: 1_000_000, used: 3 })
})

test('over quota, no user is created or moved, no link code made, and no device linked', async () => {
  const { admin, query } = await companyWith({ users: 2, link_codes: 1, devices: 1 })
  const companyId = Number(query.company)
  const save = (by: string, body: Record<string, unknown>) =>
    call(server, users.saveUser, { token: by, body })
  assert.equal((await save(token, someone({ companyId }))).status, 201)
  isFull(await save(token, someone({ companyId })), 'users')
  const stranger = await newUser(server, token)
  const { id, name, email } = stranger
  isFull(await save(token, { id, name, email, role: 'user', companyId }), 'users')

  const makeCode = () => call(server, devices.createLinkCode, { token: admin.token, body: { uses: 2 } })
  const { code } = (await makeCode()).body
  isFull(await makeCode(), 'link_codes')
  const link = () => call(server, devices.linkDevice, { body: { code } })
  const linked = await link()
  assert.equal(linked.status, 201)
  isFull(await link(), 'devices')
  await call(server, devices.unlinkDevice, { token: admin.token, params: { uid: linked.body.uid } })
  assert.equal((await link()).status, 201, 'a refused link spent no use of the code')
})

test('over quota, a company makes no API key until one is revoked', async () => {
  const { admin } = await companyWith({ api_keys: 1 })
  const body = { name: 'shop', may: ['tasks:write'] }
  const make = () => call(server, apiKeys.createApiKey, { token: admin.token, body })
  const { id } = (await make()).body
  isFull(await make(), 'api_keys')
  await call(server, apiKeys.revokeApiKey, { token: admin.token, params: { id } })
  assert.equal((await make()).status, 201)
})

test('a login over the quota of sessions ends the one unused for longest', async () => {
  const { admin } = await companyWith({ sessions: 2 })
  const second = await enter(server, admin.name, admin.password)
  const third = await enter(server, admin.name, admin.password)
  const statusOf = async (by: string) => (await call(server, devices.listDevices, { token: by })).status
  assert.equal(await statusOf(admin.token), 401)
  assert.equal(await statusOf(second.token), 200)
  assert.equal(await statusOf(third.token), 200)
})

test('over quota, a company gets no further live connection, and others still do', async () => {
  const { admin } = await companyWith({ live_connections: 1 })
  const first = await connectBrowser(server, admin.token)
  await assert.rejects(connectBrowser(server, admin.token), { code: 3 })
  const other = await connectBrowser(server, token)
  await Promise.all([first.stop(), other.stop()])
})
