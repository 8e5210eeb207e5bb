import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey, listApiKeys, revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { createWebhook, listWebhooks } from '@sdd/contract/outward/callbacks.ts'
import { createLinkCode, listLinkCodes } from '@sdd/contract/fleet/devices.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { readMadeByUser } from '@sdd/contract/insight/made-by-user.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer({ settings: { CALLBACK_ADDRESSES: 'any' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

async function newAdmin(companyId = ++companies) {
  return { ...(await newUser(server, superadmin, { role: 'admin', companyId })), companyId }
}
type Admin = Awaited<ReturnType<typeof newAdmin>>

/** One of each kind; their names show their maker. */
async function make(token: string, mark: string, query: Record<string, string> = {}) {
  const made = [
    await call(server, createApiKey, { token, query, body: { name: `key of ${mark}` } }),
    await call(server, createWebhook, { token, query, body: { url: `http://127.0.0.1:9/${mark}` } }),
    await call(server, createLinkCode, { token, query, body: {} }),
  ]
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201, 201],
  )
  return made.map(({ body }) => body.id) as [number, number, number]
}

const read = (token: string, id: number) => call(server, readMadeByUser, { token, params: { id } })

async function idsSeen(token: string, { id }: { id: number }) {
  const { status, body } = await read(token, id)
  assert.equal(status, 200)
  return [body.api_keys, body.webhooks, body.link_codes].map((rows) => rows.map((row) => row.id))
}

const edit = async (person: Admin, change: Record<string, unknown>) => {
  const { id, name, email, role } = person
  const { status } = await call(server, saveUser, {
    token: superadmin,
    body: { id, name, email, role, ...change },
  })
  assert.equal(status, 200)
}

test('a user’s keys, webhooks and codes match the usual lists, without other users’, even after a new name', async () => {
  const [ana, ben] = [await newAdmin(), await newAdmin(companies)]
  await make(ana.token, 'ana')
  await make(ben.token, 'ben')
  await edit(ana, { name: 'Ana, renamed' })
  const { body } = await read(ben.token, ana.id)
  const lists = await Promise.all([
    call(server, listApiKeys, { token: ben.token }),
    call(server, listWebhooks, { token: ben.token }),
    call(server, listLinkCodes, { token: ben.token }),
  ])
  const [keys, hooks, codes] = lists.map((list) => Object.values(list.body)[0] as { by: string | null }[])
  const hers = (rows: { by: string | null }[] | undefined) => rows?.filter(({ by }) => by === 'Ana, renamed')
  assert.deepEqual(body, { api_keys: hers(keys), webhooks: hers(hooks), link_codes: hers(codes) })
  assert.deepEqual(
    [body.api_keys, body.webhooks, body.link_codes].map((rows) => rows.length),
    [1, 1, 1],
  )
})

test('keys and webhooks outlive their maker, link codes do not, and revoked ones are not listed', async () => {
  const [admin, colleague] = [await newAdmin(), await newAdmin(companies)]
  const [key, hook, code] = await make(admin.token, 'first')
  const [revoked, otherHook, otherCode] = await make(admin.token, 'second')
  await call(server, revokeApiKey, { token: colleague.token, params: { id: revoked } })
  assert.deepEqual(await idsSeen(colleague.token, admin), [[key], [hook, otherHook], [otherCode, code]])
  await edit(admin, { enabled: false })
  assert.deepEqual(await idsSeen(colleague.token, admin), [[key], [hook, otherHook], []])
})

test('an admin sees users of their own company only, a superadmin of all, and a plain user none', async () => {
  const mover = await newAdmin()
  const before = await newAdmin(companies)
  const [oldKey, oldHook] = await make(mover.token, 'old')
  const after = await newAdmin()
  await edit(mover, { companyId: after.companyId })
  const again = await enter(server, mover.name)
  const [newKey, newHook, newCode] = await make(again.token, 'new')
  assert.deepEqual(await idsSeen(after.token, mover), [[newKey], [newHook], [newCode]])
  assert.deepEqual(await idsSeen(superadmin, mover), [[newKey, oldKey], [oldHook, newHook], [newCode]])
  const gone = await read(before.token, mover.id)
  assert.deepEqual([gone.status, gone.body.code], [404, 'unknown_user'])
  const plain = await newUser(server, superadmin, { companyId: after.companyId })
  assert.equal((await read(plain.token, mover.id)).status, 403)
})
