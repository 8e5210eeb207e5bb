import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { saveDestinations } from '@sdd/contract/messages/destinations.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { preparedDatabase } from '#test/engine.ts'
import { enter } from '#test/seeds.ts'
import { ADMIN, call, startServer, type TestServer } from '#test/server.ts'

/** Two servers over one PostgreSQL. */
let servers: TestServer[]
let token: string
let key: string
const folders: string[] = []

before(async () => {
  const DATABASE_URL = await preparedDatabase()
  const start = () => {
    const folder = mkdtempSync(join(tmpdir(), 'sdd-destinations-'))
    folders.push(folder)
    return startServer({ folder, settings: { DATABASE_URL } })
  }
  servers = [await start(), await start()]
  ;({ token } = await enter(servers[0]!, ADMIN.username, ADMIN.password))
  ;({ key } = (await call(servers[0]!, createApiKey, { token, body: { name: 'shop' } })).body)
})

after(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  for (const folder of folders) rmSync(folder, { recursive: true })
})

async function set(server: TestServer, change: Record<string, unknown>) {
  const body = { allow: [], deny: [], max_per_recipient_dayly: null, ...change }
  assert.equal((await call(server, saveDestinations, { token, body })).status, 200)
}

async function hand(server: TestServer, to_number: string): Promise<number> {
  return (await call(server, createTasks, { token: key, body: { to_number, text: 'hola' } })).status
}

test('rules saved at one server apply at the other from the answer on', async () => {
  const [one, other] = servers as [TestServer, TestServer]
  for (let round = 0; round < 10; round++) {
    await set(one, { deny: ['+34600'] })
    assert.equal(await hand(other, '+34600111222'), 422)
    await set(other, { deny: [] })
    assert.equal(await hand(one, '+34600111222'), 202)
  }
})

test('of many messages to a number at two servers, no more than the cap are accepted', async () => {
  await set(servers[0]!, { max_per_recipient_dayly: 21 })
  const statuses = await Promise.all(
    Array.from({ length: 64 }, (_, n) => hand(servers[n % 2]!, '+34600999888')),
  )
  assert.equal(statuses.filter((status) => status === 202).length, 21)
  assert.equal(statuses.filter((status) => status === 429).length, 43)
})
