import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
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

/** A company of its own, with its admin and a user. */
async function begin() {
  const companyId = ++companies
  const admin = await newUser(server, superadmin, { role: 'admin', companyId })
  const { token, name } = await newUser(server, admin.token)
  const put = (number: string, body: Record<string, unknown>, as = token) =>
    call(server, contacts.saveContact, { token: as, params: { number }, body })
  return {
    company_id: companyId,
    admin: admin.token,
    token,
    name,
    put,
    read: async (number: string) =>
      (await call(server, contacts.readContact, { token, params: { number } })).body,
    remove: (number: string) => call(server, contacts.deleteContact, { token, params: { number } }),
    list: async (query: Record<string, string> = {}) => {
      const { status, body } = await call(server, contacts.listContacts, { token, query })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    lists: async () => (await call(server, contacts.listLists, { token })).body.lists,
    import: async (rows: unknown[]) => {
      const { status, body } = await call(server, contacts.importContacts, { token, body: { rows } })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    audit: async () => {
      const query = { subject: 'consent' }
      const { body } = await call(server, listAudit, { token: admin.token, query })
      return body.entries.map(({ action, name, by }) => [action, name, by])
    },
    csv: async (query = '') => {
      const answer = await fetch(`${server.url}/api/contacts.csv${query}`, {
        headers: { authorization: `Bearer ${admin.token}` },
      })
      assert.equal(answer.status, 200)
      return (await answer.text())
        .replace(/^\uFEFF/, '')
        .split('\r\n')
        .filter(Boolean)
    },
  }
}

test('a contact is created and changed: an absent part stays, a given one replaces, null empties', async () => {
  const { company_id, put, read } = await begin()
  const made = await put('600 111 222', {
    name: ' Ana ',
    fields: { city: 'Vigo', plan: '' },
    lists: ['b', 'a', 'b'],
  })
  assert.equal(made.status, 200)
  const { updated_at, ...rest } = made.body
  assert.match(updated_at, /^20.*Z$/)
  assert.deepEqual(rest, {
    company_id,
    number: '+34600111222',
    name: 'Ana',
    fields: { city: 'Vigo' },
    lists: ['a', 'b'],
    consent: null,
    opted_out: false,
  })
  assert.deepEqual((await put('+34600111222', {})).body.fields, { city: 'Vigo' })
  const changed = (await put('0034600111222', { fields: { plan: 'x' }, lists: ['b', 'c'] })).body
  assert.deepEqual([changed.name, changed.fields, changed.lists], ['Ana', { plan: 'x' }, ['b', 'c']])
  const emptied = (await put('600111222', { name: null, fields: null, lists: null })).body
  assert.deepEqual([emptied.name, emptied.fields, emptied.lists], [null, {}, []])
  assert.deepEqual(await read('+34600111222'), emptied)
})

test('a path takes the number with or without its plus encoded', async () => {
  const { token, put } = await begin()
  await put('600111222', { name: 'Ana' })
  const get = (number: string) =>
    fetch(`${server.url}/api/contacts/${number}`, { headers: { authorization: `Bearer ${token}` } })
  for (const number of ['%2B34600111222', '+34600111222', '600%20111%20222', '0034600111222']) {
    assert.equal((await get(number)).status, 200, number)
  }
  for (const number of ['abc', '1234567', '+999600111222']) {
    const answer = await get(number)
    const { status } = answer
    const body = (await answer.json()) as { fields?: object }
    assert.deepEqual([status, Object.keys(body.fields ?? {})], [422, ['number']], number)
  }
})

test('each bad part of a contact is a 422 with its field', async () => {
  const { put } = await begin()
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']))
  const bad: [change: Record<string, unknown>, field: string][] = [
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ fields: fields(31) }, 'fields'],
    [{ fields: { a: 'x'.repeat(201) } }, 'fields.a'],
    [{ fields: { a: 1 } }, 'fields.a'],
    [{ lists: Array.from({ length: 51 }, (_, n) => String(n)) }, 'lists'],
    [{ lists: ['x'.repeat(61)] }, 'lists'],
    [{ lists: [' '] }, 'lists'],
    [{ consent: { how: '' } }, 'consent.how'],
    [{ consent: { how: 'x'.repeat(201) } }, 'consent.how'],
    [{ consent: { how: 'web', given_at: '2999-01-01T00:00:00Z' } }, 'consent.given_at'],
    // In UTC, this is in the year 10000.
    [{ consent: { how: 'web', given_at: '9999-12-31T23:00:00-02:00' } }, 'consent.given_at'],
    [{ consent: { how: 'web', given_at: 'yesterday' } }, 'consent.given_at'],
    [{ unheard_of: 1 }, 'unheard_of'],
  ]
  for (const [change, field] of bad) {
    const { status, body } = await put('600111222', change)
    const { code, fields } = body as unknown as { code: string; fields: Record<string, string> }
    assert.deepEqual(
      [status, code, Object.keys(fields)],
      [422, 'invalid', [field]],
      JSON.stringify(change).slice(0, 80),
    )
  }
  for (const name of ['name', 'number', '1a', 'a b', 'a-b', '', 'x'.repeat(41)])
    assert.equal((await put('600111222', { fields: { [name]: 'x' } })).status, 422, name)
  assert.equal((await put('600111222', { fields: fields(30) })).status, 200)
})

test('consent is recorded and withdrawn with an audit entry, and an opt-out neither erases it nor goes with the contact', async () => {
  const { admin, name, put, read, remove, audit } = await begin()
  const before = Date.now()
  const { consent } = (await put('600111222', { consent: { how: 'web form' } })).body
  assert.deepEqual([consent!.how, consent!.by], ['web form', name])
  assert.ok(Date.parse(consent!.given_at) >= before - 1_000)
  await put('600111222', { name: 'Ana' })
  assert.deepEqual((await read('600111222')).consent, consent)
  await call(server, addOptOut, { token: admin, body: { number: '600111222' } })
  const blocked = await read('600111222')
  assert.deepEqual([blocked.consent, blocked.opted_out], [consent, true])
  assert.equal((await put('600111222', { consent: null })).body.consent, null)
  const given_at = '2026-01-31T10:30:00.000Z'
  const paper = (
    await put('600111222', { consent: { how: 'on paper', given_at: '2026-01-31T11:30:00+01:00' } })
  ).body
  assert.deepEqual(paper.consent, { how: 'on paper', given_at, by: name })
  assert.equal((await remove('600 111 222')).status, 204)
  assert.equal((await remove('600111222')).status, 404)
  assert.deepEqual(await audit(), [
    ['consent.withdrawn', '+34600111222', name],
    ['consent.recorded', '+34600111222', name],
    ['consent.withdrawn', '+34600111222', name],
    ['consent.recorded', '+34600111222', name],
  ])
  assert.equal((await put('600111222', {})).body.opted_out, true, 'the opt-out stays')
})

test('contacts are paged by number, and found by list, by part of the number, and by part of the name', async () => {
  const { put, list, lists } = await begin()
  const numbers = ['+34600000003', '+34600000001', '22000', '+34600000002', '+351910000000']
  for (const [n, number] of numbers.entries())
    await put(number, { name: `Persona ${n}`, lists: n % 2 === 0 ? ['even', 'all'] : ['all'] })
  await put('+34600000009', { name: 'Íñigo Núñez' })
  const sorted = ['+34600000001', '+34600000002', '+34600000003', '+34600000009', '+351910000000', '22000']
  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list({ limit: '2', ...(cursor && { cursor }) })
    paged.push(...page.contacts.map(({ number }) => number))
    cursor = page.next_cursor
  }
  assert.deepEqual(paged, sorted)
  const found = async (query: Record<string, string>) =>
    (await list(query)).contacts.map(({ number }) => number)
  assert.deepEqual(await found({ list: 'even' }), ['+34600000003', '+351910000000', '22000'])
  assert.deepEqual(await found({ search: '600 000 00' }), sorted.slice(0, 4))
  assert.deepEqual(await found({ search: '0034600000002' }), ['+34600000002'])
  assert.deepEqual(await found({ search: 'inigo nu' }), ['+34600000009'])
  assert.deepEqual(await found({ search: 'PERSONA 1' }), ['+34600000001'])
  assert.deepEqual(await found({ search: '%' }), [])
  assert.deepEqual(await found({ list: 'none' }), [])
  assert.deepEqual(
    (await lists()).map(({ name, contacts }) => [name, contacts]),
    [
      ['all', 5],
      ['even', 3],
    ],
  )
})

test('an import adds to the contacts there, refuses each bad row, and changes nothing when repeated', async () => {
  const { name, put, read, import: imported, audit } = await begin()
  await put('600000001', {
    name: 'Old',
    fields: { city: 'Vigo', plan: 'a' },
    lists: ['one'],
    consent: { how: 'paper' },
  })
  const rows = [
    {
      number: '600 000 001',
      name: 'New',
      fields: { plan: '', age: '7' },
      lists: ['two'],
      consent: { how: 'web' },
    },
    { number: '600000002', name: 'Ben', lists: ['two', 'two'], consent: { how: 'web' } },
    { number: '0034600000002', name: 'Again' },
    { number: 'nobody' },
    { name: 'without' },
    { number: '600000003', fields: { 'a b': 'x' } },
    { number: '600000003', name: '' },
    'no row',
    { number: '600000004', consent: { how: 'web', given_at: '2999-01-01T00:00:00Z' } },
  ]
  const first = await imported(rows)
  assert.deepEqual([first.added, first.changed, first.unchanged], [2, 1, 0])
  assert.deepEqual(
    first.refused.map(({ row, code }) => [row, code]),
    [
      [3, 'repeated'],
      [4, 'invalid_number'],
      [5, 'invalid_number'],
      [6, 'invalid'],
      [8, 'invalid_number'],
      [9, 'invalid'],
    ],
  )
  assert.ok(first.refused.every(({ detail }) => detail.length > 10))
  const one = await read('600000001')
  assert.deepEqual(
    [one.name, one.fields, one.lists, one.consent?.how],
    ['New', { age: '7', city: 'Vigo' }, ['one', 'two'], 'paper'],
  )
  const two = await read('600000002')
  assert.deepEqual([two.name, two.lists, two.consent?.how, two.consent?.by], ['Ben', ['two'], 'web', name])
  assert.equal((await audit()).length, 2)
  const again = await imported(rows)
  assert.deepEqual([again.added, again.changed, again.unchanged], [0, 0, 3])
  assert.deepEqual(again.refused, first.refused)
  assert.deepEqual(await read('600000002'), two)
})

test('a field with NUL or half of a character is kept without it, and the file has its row', async () => {
  const { put, read, import: imported, csv } = await begin()
  const first = await imported([
    { number: '600000001', fields: { note: 'x\ud83d' } },
    { number: '600000002', fields: { note: 'a\0b' } },
  ])
  assert.deepEqual([first.added, first.refused], [2, []])
  await put('600000003', { fields: { note: '\udc4dx' } })
  const notes = ['x\uFFFD', 'a\uFFFDb', '\uFFFDx']
  for (const [index, note] of notes.entries())
    assert.deepEqual((await read(`60000000${index + 1}`)).fields, { note })
  const [, ...rows] = await csv()
  assert.deepEqual(
    rows.map((row) => row.split(',').at(-1)),
    notes,
  )
})

test('a field may be named like a property of every object, and an unknown part may not', async () => {
  const { put, read, import: imported, csv } = await begin()
  const unknown = await imported([{ number: '600000001', constructor: 1 }])
  assert.match(unknown.refused[0]!.detail, /constructor: is not known here/)
  await put('600000001', { fields: { city: 'Vigo' } })
  await put('600000002', { fields: { constructor: 'Ana' } })
  assert.deepEqual((await read('600000002')).fields, { constructor: 'Ana' })
  const [head, without, withIt] = await csv()
  assert.match(head!, /,city,constructor$|,constructor,city$/)
  assert.deepEqual(
    [without, withIt].map((line) => line!.split(',').slice(-2).sort()),
    [
      ['', 'Vigo'],
      ['', 'Ana'],
    ],
  )
})

test('an import takes 5,000 rows at once, in a body of up to 8 MiB', async () => {
  const { import: imported, list } = await begin()
  const fields = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`field_${n}`, 'x'.repeat(200)]))
  const rows = Array.from({ length: 5_000 }, (_, n) => ({
    number: `+34600${String(n).padStart(6, '0')}`,
    fields,
  }))
  assert.ok(JSON.stringify(rows).length > 6 * 1024 * 1024)
  const { added, refused } = await imported(rows)
  assert.deepEqual([added, refused], [5_000, []])
  assert.equal((await list({ limit: '1000' })).contacts.length, 1_000)
  const { token } = await begin()
  const tooMany = await call(server, contacts.importContacts, { token, body: { rows: [...rows, ...rows] } })
  assert.equal(tooMany.status, 413)
  const few = await call(server, contacts.importContacts, { token, body: { rows: Array(5_001).fill({}) } })
  assert.equal(few.status, 422)
})

test('the file has the fixed columns, then each field by its name, and no formula', async () => {
  const { name, put, csv } = await begin()
  await put('+34600000002', { name: '=1+1', fields: { zip: '36200', age: '7' }, lists: ['b', '@a'] })
  await put('+34600000001', {
    fields: { age: '-1' },
    consent: { how: 'web, form', given_at: '2026-01-31T10:30:00Z' },
  })
  const [head, one = '', two = '', ...more] = await csv()
  assert.equal(head, 'number,name,lists,consent_given_at,consent_how,consent_by,opted_out,updated_at,age,zip')
  const consent = `2026-01-31T10:30:00.000Z,"web, form",${name}`
  assert.ok(one.startsWith(`+34600000001,,,${consent},false,20`), one)
  assert.ok(one.endsWith(",'-1,"), one)
  assert.ok(two.startsWith(`+34600000002,'=1+1,'@a;b,,,,false,20`), two)
  assert.ok(two.endsWith(',7,36200'), two)
  assert.deepEqual(more, [])
  assert.equal((await csv('?list=b')).length, 2)
})

test('a superadmin sees every company’s contacts, and writes to the own company or a named one', async () => {
  const { company_id, put, read } = await begin()
  await put('+34655000111', { name: 'Theirs' })
  const query = { search: '655000111' }
  const { body } = await call(server, contacts.listContacts, { token: superadmin, query })
  assert.deepEqual(
    body.contacts.map((contact) => contact.company_id),
    [company_id],
  )
  const params = { number: '655000111' }
  assert.equal((await call(server, contacts.readContact, { token: superadmin, params })).status, 404)
  const named = { company: String(company_id) }
  const change = { name: 'Named' }
  const saved = await call(server, contacts.saveContact, {
    token: superadmin,
    params,
    query: named,
    body: change,
  })
  assert.equal(saved.status, 200)
  assert.equal((await read('655000111')).name, 'Named')
})
