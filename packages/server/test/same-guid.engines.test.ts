import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { readMessage } from '@sdd/contract/insight/log.ts'
import type { ApiError } from '@sdd/contract/core/errors.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import { createTasks, discardTask, readTask } from '@sdd/contract/tasks/tasks.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/**
 * A guid is unique only within its company: companies 2 and 3 have the same ones, and no call acts on the wrong one.
 */

type Company = { id: number; token: string; key: string }

let server: TestServer
let superadmin: string
let two: Company
let three: Company

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  two = await company(2)
  three = await company(3)
})
after(() => server.stop())

async function company(id: number): Promise<Company> {
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: id })
  const { body } = await call(server, createApiKey, { token, body: { name: `shop of ${id}` } })
  return { id, token, key: body.key }
}

async function hand(guid: string, ...companies: Company[]): Promise<void> {
  for (const { id, key } of companies) {
    const body = { guid, to_number: '+34600111222', text: `of company ${id}` }
    assert.equal((await call(server, createTasks, { token: key, body })).status, 202)
  }
}

const routes: Record<string, Route> = { readTask, readMessage, discardTask }

async function ask(route: string, guid: string, token: string, query: Record<string, string> = {}) {
  const { status, body } = await call(server, routes[route]!, { token, params: { guid }, query })
  return { status, body: body as Record<string, unknown> & Pick<ApiError, 'code' | 'companies' | 'fields'> }
}

const stateOf = async (guid: string, { key }: Company) =>
  (await call(server, readTask, { token: key, params: { guid } })).body.state

test('if several companies have the guid, a superadmin must name one, and nothing is discarded', async () => {
  await hand('order-1', three, two)
  for (const route of ['readTask', 'readMessage', 'discardTask']) {
    const { status, body } = await ask(route, 'order-1', superadmin)
    assert.equal(status, 409, route)
    assert.deepEqual(Object.keys(body).toSorted(), ['code', 'companies', 'detail', 'params'], route)
    assert.deepEqual([body.code, body.companies], ['ambiguous_guid', [2, 3]], route)
    assert.match(String(body.detail), /companies 2, 3.*order-1.*\?company=/, route)
  }
  assert.deepEqual([await stateOf('order-1', two), await stateOf('order-1', three)], ['received', 'received'])
})

test('a superadmin who names a company gets that company’s task', async () => {
  await hand('order-2', two, three)
  for (const { id } of [two, three]) {
    const query = { company: String(id) }
    const task = await ask('readTask', 'order-2', superadmin, query)
    assert.deepEqual([task.status, task.body.company_id], [200, id])
    const record = await ask('readMessage', 'order-2', superadmin, query)
    assert.deepEqual([record.status, record.body.message], [200, `of company ${id}`])
  }
  const { status, body } = await ask('discardTask', 'order-2', superadmin, { company: '2' })
  assert.deepEqual([status, body.company_id, body.state], [200, 2, 'discarded'])
  assert.deepEqual(
    [await stateOf('order-2', two), await stateOf('order-2', three)],
    ['discarded', 'received'],
  )
  assert.equal((await ask('discardTask', 'order-2', superadmin, { company: '3' })).body.company_id, 3)
})

test('a company without the guid is 404, an invalid one is 422', async () => {
  await hand('order-3', two)
  for (const route of ['readTask', 'readMessage', 'discardTask']) {
    for (const company of ['1', '3', '999']) {
      const { status, body } = await ask(route, 'order-3', superadmin, { company })
      assert.deepEqual(
        [status, body.code],
        [404, route === 'readMessage' ? 'unknown_message' : 'unknown_task'],
      )
    }
    const { status, body } = await ask(route, 'order-3', superadmin, { company: 'two' })
    assert.deepEqual([status, Object.keys(body.fields!)], [422, ['company']], route)
  }
  assert.equal(await stateOf('order-3', two), 'received')
})

test('if only one company has the guid, a superadmin need not name it', async () => {
  await hand('order-4', three)
  assert.equal((await ask('readTask', 'order-4', superadmin)).body.company_id, 3)
  assert.equal((await ask('readMessage', 'order-4', superadmin)).body.message, 'of company 3')
  assert.deepEqual((await ask('discardTask', 'order-4', superadmin)).body.state, 'discarded')
})

test('other users cannot reach another company by its guid or name', async () => {
  await hand('order-5', two, three)
  await hand('order-6', three)
  for (const [token, routesOf] of [
    [two.token, ['readTask', 'readMessage', 'discardTask']],
    [two.key, ['readTask', 'discardTask']],
  ] as const) {
    for (const route of routesOf) {
      for (const guid of ['order-5', 'order-6'])
        assert.equal((await ask(route, guid, token, { company: '3' })).status, 404, `${route} ${guid}`)
      assert.equal((await ask(route, 'order-6', token)).status, 404, route)
      const { status, body } = await ask(route, 'order-5', token, { company: '2' })
      assert.equal(status, 200, route)
      assert.doesNotMatch(JSON.stringify(body), /of company 3/, route)
    }
  }
  assert.deepEqual(
    [await stateOf('order-5', three), await stateOf('order-6', three)],
    ['received', 'received'],
  )
})

test('an SMS of the console is not a task: its guid in one company does not hide the task in another', async (t) => {
  const drone = await connectDevice(await linkTestDevice(server, two.token, 'drone'))
  t.after(() => drone.stop())
  const sms = { device_uid: 'drone', telefono_to: '+34600111222', mensaje_sms: 'of the console' }
  const { guid } = (await call(server, sendSms, { token: two.token, body: sms })).body
  await hand(guid, three)
  const task = await ask('readTask', guid, superadmin)
  assert.deepEqual([task.status, task.body.company_id], [200, 3])
  assert.deepEqual((await ask('readMessage', guid, superadmin)).body.companies, [2, 3])
  const sent = await ask('readMessage', guid, superadmin, { company: '2' })
  assert.equal(sent.body.message, 'of the console')
  const discarded = await ask('discardTask', guid, superadmin)
  assert.deepEqual([discarded.status, discarded.body.company_id], [200, 3])
})
