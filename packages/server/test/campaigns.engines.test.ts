import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as checks from '@sdd/contract/people/campaign-checks.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as contract from '@sdd/contract/people/campaigns.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { newCampaigner } from './campaigns.ts'
import { withTables } from './engine.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

const begin = () => newCampaigner(server, superadmin, ++companies)

test('a draft is created, replaced as a whole, listed newest first, and removed', async () => {
  const { create, list, read, remove, token, company_id, name } = await begin()
  const first = await create({ lists: ['a', 'b', 'a'], expires_at: '2999-01-01T01:00:00+01:00' })
  const { id, created_at, counts, ...rest } = first
  assert.match(created_at, /^20.*Z$/)
  assert.deepEqual(
    [rest.company_id, rest.state, rest.lists, rest.created_by, rest.expires_at, rest.rows],
    [company_id, 'draft', ['a', 'b'], name, '2999-01-01T00:00:00.000Z', 0],
  )
  assert.deepEqual(new Set(Object.values(counts)), new Set([0]))
  const unknown = { planned_at: null, devices: [], devices_total: 0, finishes_with_all_at: null }
  assert.deepEqual(await read(id), { ...first, reasons: [], ...unknown })
  const second = await create({ name: 'Ofertas de Navidad' })
  assert.deepEqual(
    (await list()).campaigns.map((campaign) => campaign.id),
    [second.id, id],
  )
  assert.deepEqual((await list({ search: 'ofertás' })).campaigns, [second])
  assert.deepEqual((await list({ state: 'running,paused' })).campaigns, [])
  const none = { draft: 0, scheduled: 0, running: 0, paused: 0, stopped: 0, finished: 0 }
  assert.deepEqual((await list({ state: 'running' })).totals, { ...none, draft: 2 })
  assert.deepEqual((await list({ search: 'ofertás' })).totals, { ...none, draft: 1 })
  const page = await list({ limit: '1' })
  assert.deepEqual((await list({ limit: '1', cursor: page.next_cursor! })).campaigns, [first])
  const body = { name: 'Other', text: 'x', class: 'marketing' } as const
  const changed = (await call(server, contract.changeCampaign, { token, params: { id }, body })).body
  assert.deepEqual(
    [changed.name, changed.class, changed.lists, changed.expires_at],
    ['Other', 'marketing', [], null],
  )
  assert.equal((await remove(id)).status, 204)
  assert.equal((await remove(id)).status, 404)
  assert.deepEqual((await list()).campaigns, [second])
})

test('what cannot be a campaign is refused by its field', async () => {
  const { token, draft } = await begin()
  for (const [field, change] of [
    ['name', { name: ' ' }],
    ['text', { text: 'Hola {{name' }],
    ['text', { text: '{{a b}}' }],
    ['class', { class: 'code' }],
    ['class', { class: undefined }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { not_before: '2999-01-02T00:00:00Z', expires_at: '2999-01-01T00:00:00Z' }],
    ['not_before', { not_before: 'tomorrow' }],
    // In UTC, these are in the year 10000.
    ['not_before', { not_before: '9999-12-31T23:00:00-02:00' }],
    ['expires_at', { expires_at: '9999-12-31T23:00:00-02:00' }],
    ['via', { via: 'any' }],
    ['colour', { colour: 'red' }],
  ] as const) {
    const { status, body } = await call(server, contract.createCampaign, {
      token,
      body: { ...draft, ...change } as never,
    })
    const { fields } = body as { fields?: Record<string, string> }
    assert.deepEqual([status, Object.keys(fields ?? {})], [422, [field]], JSON.stringify(body))
  }
})

test('rows are kept as they are uploaded, and those that cannot be sent are named', async () => {
  const { create, upload, rows, read, token } = await begin()
  const { id } = await create({ text: 'Hola {{name}}, {{day}} {{city}}' })
  await call(server, saveContact, {
    token,
    params: { number: '600111222' },
    body: { name: 'Ana', fields: { city: 'Vigo', day: 'lunes' } },
  })
  const uploaded = await upload(id, [
    { number: '600 111 222', fields: { day: 'martes' } },
    { number: 'abc' },
    { number: '0034600111222' },
    { number: '600111333', fields: { name: ' Luis ', day: 'hoy' } },
    { number: '600111444', fields: { name: 'Eva', day: 'x'.repeat(200), city: 'Ñ'.repeat(200) }, at: 'soon' },
    { number: 5 },
    { number: '600111555', fields: { number: '1' } },
    { number: '600111666', at: '2020-01-01T00:00:00Z', fields: { name: 'Eva', day: '{{name}}', city: '' } },
  ])
  assert.equal(uploaded.rows, 8)
  assert.equal(uploaded.repeated, 1)
  assert.deepEqual(
    uploaded.refused.map(({ row, code, params }) => [row, code, params]),
    [
      [2, 'invalid_number', {}],
      [4, 'missing_field', { field: 'city' }],
      [5, 'invalid_at', {}],
      [6, 'invalid_number', {}],
      [7, 'invalid', {}],
      [8, 'missing_field', { field: 'city' }],
    ],
  )
  for (const { detail } of uploaded.refused) assert.match(detail, /^\S.{10,}\.$/)
  const all = (await rows(id)).rows
  assert.deepEqual(
    all.map(({ row, number, name, text, state, fault }) => [
      row,
      number,
      name,
      text,
      state,
      fault?.code ?? null,
    ]),
    [
      [1, '+34600111222', 'Ana', 'Hola Ana, martes Vigo', 'pending', null],
      [2, 'abc', null, null, 'pending', 'invalid_number'],
      [3, '+34600111222', 'Ana', 'Hola Ana, lunes Vigo', 'pending', null],
      [4, '+34600111333', 'Luis', null, 'pending', 'missing_field'],
      [5, '+34600111444', 'Eva', all[4]!.text, 'pending', 'invalid_at'],
      [6, '', null, null, 'pending', 'invalid_number'],
      [7, '+34600111555', null, null, 'pending', 'invalid'],
      [8, '+34600111666', 'Eva', null, 'pending', 'missing_field'],
    ],
  )
  assert.equal((await read(id)).counts.pending, 8)
})

test('a field named like a property of every object is missing until a row or its contact has it', async () => {
  const { create, upload, rows, token } = await begin()
  const { id } = await create({ text: 'Hola {{constructor}}' })
  await call(server, saveContact, {
    token,
    params: { number: '600111333' },
    body: { fields: { constructor: 'Eva' } },
  })
  const { refused } = await upload(id, [
    { number: '600111222' },
    { number: '600111333' },
    { number: '600111444', fields: { constructor: 'Ana' } },
    { number: '600111555', toString: 1 },
  ])
  assert.deepEqual(
    refused.map(({ row, code, params }) => [row, code, params]),
    [
      [1, 'missing_field', { field: 'constructor' }],
      [4, 'invalid', {}],
    ],
  )
  assert.match(refused[1]!.detail, /toString: is not known here/)
  assert.deepEqual(
    (await rows(id)).rows.map(({ text }) => text),
    [null, 'Hola Eva', 'Hola Ana', null],
  )
  const inherited = await create({ text: '{{__proto__}}' })
  const uploaded = await upload(inherited.id, [{ number: '600111222' }])
  assert.equal(uploaded.refused[0]!.code, 'missing_field')
})

test('the same rows again replace those there, none leaves a gap, and the last ones drop what follows', async () => {
  const { create, upload, rows, read, token } = await begin()
  const { id } = await create({ text: 'x' })
  const some = Array.from({ length: 2_500 }, (_, at) => ({ number: `+3460${String(1_000_000 + at)}` }))
  assert.equal((await upload(id, some)).rows, 2_500)
  assert.deepEqual(await upload(id, some), { rows: 2_500, repeated: 0, refused: [] })
  assert.equal((await upload(id, some.slice(0, 3), { first_row: 2_501 })).repeated, 3)
  const body = { first_row: 2_505, rows: some.slice(0, 1) }
  const gap = await call(server, campaignRows.uploadRows, { token, params: { id }, body })
  assert.deepEqual([gap.status, Object.keys((gap.body as { fields?: object }).fields!)], [422, ['first_row']])
  const last = await upload(id, [{ number: '600111222' }], { first_row: 2, last: true })
  assert.deepEqual(last, { rows: 2, repeated: 0, refused: [] })
  assert.deepEqual(
    (await rows(id)).rows.map(({ row, number }) => [row, number]),
    [
      [1, some[0]!.number],
      [2, '+34600111222'],
    ],
  )
  assert.equal((await upload(id, [], { first_row: 2, last: true })).rows, 1)
  assert.equal((await read(id)).counts.pending, 1)
})

test('rows are read in pages in both directions, and found by number and name', async () => {
  const { create, upload, rows } = await begin()
  const { id } = await create({ text: 'x' })
  await upload(id, [
    { number: '600111001', fields: { name: 'José' } },
    { number: '600111002' },
    { number: '600222003' },
  ])
  const linesOf = async (query: Record<string, string>) => (await rows(id, query)).rows.map(({ row }) => row)
  const first = await rows(id, { limit: '2' })
  assert.deepEqual([first.rows.length, await linesOf({ limit: '2', cursor: first.next_cursor! })], [2, [3]])
  const last = await rows(id, { limit: '2', order: 'desc' })
  assert.deepEqual(
    last.rows.map(({ row }) => row),
    [3, 2],
  )
  assert.deepEqual(await linesOf({ order: 'desc', cursor: last.next_cursor! }), [1])
  assert.deepEqual(await linesOf({ search: 'jose' }), [1])
  assert.deepEqual(await linesOf({ search: '600 111' }), [1, 2])
  assert.deepEqual(await linesOf({ search: '0034 600-222-003' }), [3])
  assert.deepEqual(await linesOf({ search: '-' }), [])
  assert.deepEqual(await linesOf({ search: '%' }), [])
  assert.deepEqual(await linesOf({ state: 'delivered' }), [])
})

test('a check lists the rows of each group and their fields in pages, and those not sent as a file', async () => {
  const { create, upload, check, preview, csv, start, token } = await begin()
  const { id } = await create({ text: 'Hola {{name}}, {{city}}' })
  await call(server, saveContact, {
    token,
    params: { number: '600111222' },
    body: { name: 'Ana', fields: { city: 'Vigo' }, lists: ['vip'] },
  })
  await call(server, saveContact, { token, params: { number: '600111777' }, body: { lists: ['vip'] } })
  await upload(id, [
    { number: '600111222' },
    { number: '=1+1', fields: { name: 'Eva' } },
    { number: '600111222' },
    { number: '600111333', fields: { name: 'Íñigo', city: 'Ávila' } },
    { number: '600111444', fields: { name: 'Luis', city: 'x'.repeat(170) }, at: '2999-01-01T00:00:00Z' },
    { number: '600111555', fields: { name: 'Luis' } },
    { number: '600111666', fields: { name: 'Eva', city: 'y'.repeat(170) } },
  ])
  const { rows } = await check(id)
  assert.deepEqual(
    rows.map(({ row, group, fault, values }) => [row, group, fault?.code ?? null, values['city']?.length]),
    [
      [1, 'sendable', null, 4],
      [2, 'invalid', 'invalid_number', undefined],
      [3, 'repeated', null, 4],
      [4, 'sendable', null, 5],
      [5, 'invalid', 'invalid_at', 170],
      [6, 'invalid', 'missing_field', undefined],
      [7, 'sendable', null, 170],
    ],
  )
  assert.deepEqual(rows[3]!.fields, { name: 'Íñigo', city: 'Ávila' })
  assert.deepEqual(rows[0]!.fields, {})
  const first = await check(id, { group: 'invalid', limit: '2' })
  const rest = await check(id, { group: 'invalid', limit: '2', cursor: first.next_cursor! })
  assert.deepEqual(
    [first, rest].map((page) => page.rows.map(({ row }) => row)),
    [[2, 5], [6]],
  )
  assert.equal(rest.next_cursor, null)

  await call(server, contract.changeCampaign, {
    token,
    params: { id },
    body: { name: 'Reminders', text: 'Hola {{name}}, {{city}}', class: 'transactional', lists: ['vip'] },
  })
  const found = await preview(id)
  assert.deepEqual([found.rows, found.sendable, found.repeated, found.invalid], [9, 3, 2, 4])
  assert.deepEqual(found.by_parts, [
    { parts: 1, rows: 2 },
    { parts: 2, rows: 1 },
  ])
  assert.deepEqual(found.ucs2_letters, ['Í', 'Á'])
  assert.deepEqual(found.faults, [
    { code: 'invalid_number', field: null, rows: 1 },
    { code: 'invalid_at', field: null, rows: 1 },
    { code: 'missing_field', field: 'city', rows: 1 },
    { code: 'missing_field', field: 'name', rows: 1 },
  ])
  assert.deepEqual([found.longest?.row, found.first_in_parts?.row], [7, 7])
  assert.equal(found.examples[0]?.values['city'], 'Vigo')
  assert.deepEqual(found.basis, { devices: 0, away: 0, per_hour: 0, room_today: 0 })
  const [titles, ...lines] = await csv(id, 'check')
  assert.equal(titles, 'row,number,name,reason,detail,text')
  assert.match(lines[0]!, /^2,'=1\+1,Eva,invalid_number,/)
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    ['2', '3', '5', '6', '8', '9'],
  )
  await start(id, 3)
  const { status } = await call(server, checks.checkRows, { token, params: { id } })
  assert.equal(status, 409)
})

test('a draft whose upload was interrupted cannot be started until the upload reaches its end', async () => {
  const { create, upload, preview, start, token } = await begin()
  const { id } = await create({ text: 'hola' })
  const rows = Array.from({ length: 4 }, (_, at) => ({ number: `60020030${at}` }))
  await upload(id, rows, { last: true, of: 4 })
  assert.equal((await preview(id)).uploading, null, 'one call has its beginning and its end')
  await upload(id, rows.slice(0, 2), { of: 4 })
  const found = await preview(id)
  assert.deepEqual([found.rows, found.uploading], [4, 4], 'older rows are still there')
  const { status, body } = await call(server, contract.startCampaign, {
    token,
    params: { id },
    body: { rows: 4 },
  })
  assert.deepEqual([status, (body as { code?: string }).code], [409, 'upload_incomplete'])
  await upload(id, rows.slice(2), { first_row: 3, last: true })
  assert.equal((await preview(id)).uploading, null)
  assert.equal((await start(id, 4)).counts.pending, 4)
})

test('a user reads campaigns and changes none, and removing one removes its rows', async () => {
  const { company_id, token, create, upload, remove, draft } = await begin()
  const user = await newUser(server, token)
  const { id } = await create()
  await upload(id, [{ number: '600111222' }])
  assert.equal((await call(server, contract.listCampaigns, { token: user.token })).body.campaigns.length, 1)
  assert.equal((await call(server, campaignRows.listRows, { token: user.token, params: { id } })).status, 200)
  const created = await call(server, contract.createCampaign, { token: user.token, body: draft })
  assert.equal(created.status, 403)
  // A superadmin creates one for another company, and needs no more than its id later.
  const theirs = await call(server, contract.createCampaign, {
    token: superadmin,
    query: { company: String(company_id) },
    body: draft,
  })
  assert.deepEqual([theirs.status, theirs.body.company_id], [201, company_id])
  const { status } = await call(server, contract.readCampaign, {
    token: superadmin,
    params: { id: theirs.body.id },
  })
  assert.equal(status, 200)
  assert.equal((await remove(id)).status, 204)
  await withTables(server, async ({ all }) => {
    assert.deepEqual(await all('select line from campaign_rows where campaign_id = ?', id), [])
    assert.deepEqual(await all('select id from campaigns where id = ?', id), [])
  })
})
