import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { createTasks, discardTask, exportTasks, readTask } from '@sdd/contract/tasks/tasks.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let token: string
let key: string

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  token = (await newUser(server, superadmin, { role: 'admin', companyId: 2 })).token
  key = (await call(server, createApiKey, { token, body: { name: 'the shop' } })).body.key
  const tasks = [
    { guid: 'plain', to_number: '+34600111222', text: 'Hola, "señor"\nadiós' },
    { guid: 'dropped', to_number: '+34600111333', text: '=1+1', silent: true },
  ]
  assert.equal((await call(server, createTasks, { token: key, body: { tasks } })).status, 202)
  await call(server, discardTask, { token, params: { guid: 'dropped' } })
})
after(() => server.stop())

async function download(query: Record<string, string> = {}, as = token) {
  const url = new URL(`${exportTasks.path}?${new URLSearchParams(query).toString()}`, server.url)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${as}` } })
  return { answer, text: await answer.text() }
}

test('the tasks are exported as a CSV file, with numbers unchanged and without formulas', async () => {
  const { answer, text } = await download()
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(answer.headers.get('content-disposition')!, /filename="tasks-\d{4}-\d\d-\d\d\.csv"$/)
  const { body: plain } = await call(server, readTask, { token, params: { guid: 'plain' } })
  const { body: dropped } = await call(server, readTask, { token, params: { guid: 'dropped' } })
  assert.equal(
    text.replace(/^\uFEFF/, ''),
    'GUID,From,To,Text,Sent,Silent,Created,Assigned Device,Assigned,Completed,Discarded,State,Attempts,Error Msg,' +
      'Delivery Time,Reply,Reply Time\r\n' +
      `dropped,,+34600111333,'=1+1,,Sí,${dropped.created_at},,,,${dropped.discarded_at},discarded,0,${dropped.error_msg},,,\r\n` +
      `plain,,+34600111222,"Hola, ""señor""\nadiós",,No,${plain.created_at},,,,,received,0,,,,\r\n`,
  )
})

test('the export has the filters of the list, and only tasks of the own company', async () => {
  const guidsOf = (text: string) =>
    text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0])
  assert.deepEqual(guidsOf((await download({ state: 'discarded' })).text), ['dropped'])
  assert.deepEqual(guidsOf((await download({ status: 'received' }, key)).text), ['plain'])
  assert.deepEqual(guidsOf((await download({ search: 'nothing' })).text), [])
  const other = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  assert.deepEqual(guidsOf((await download({}, other.token)).text), [])
})

test('each export is recorded with its filters, also that of an API key', async () => {
  await download({ status: 'completed', search: 'x' })
  await download({}, key)
  const { body } = await call(server, listAudit, { token, query: { action: 'task.exported', limit: '2' } })
  assert.deepEqual(
    body.entries.map(({ by, subject, name }) => [by, subject, name]),
    [
      ['the shop', 'task', 'everything'],
      [body.entries[1]!.by, 'task', 'status=completed, search=x'],
    ],
  )
})
