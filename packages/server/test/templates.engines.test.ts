import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as templates from '@sdd/contract/people/templates.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const server = await startServer()
after(() => server.stop())
const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
const { token } = await newUser(server, superadmin, { role: 'admin', companyId: 2 })

const save = (body: Record<string, unknown>, as = token) =>
  call(server, templates.saveTemplate, { token: as, body })
const list = async () => (await call(server, templates.listTemplates, { token })).body.templates

test('a template is created, changed under its id and removed, and its name is unique', async () => {
  const made = await save({ name: 'Reminder', text: 'Hello {{ name }}, see you at {{hour}}.' })
  assert.equal(made.status, 201)
  const { id } = made.body
  assert.deepEqual(await list(), [
    { id, company_id: 2, name: 'Reminder', text: 'Hello {{ name }}, see you at {{hour}}.' },
  ])
  assert.deepEqual([(await save({ name: 'REMINDER', text: 'x' })).body.code], ['name_taken'])
  const changed = await save({ id, name: 'reminder', text: 'Bye' })
  assert.deepEqual([changed.status, changed.body.text], [200, 'Bye'])
  const other = (await save({ name: 'Another', text: 'x' })).body
  assert.equal((await save({ id: other.id, name: 'Reminder', text: 'x' })).status, 409)
  assert.deepEqual(
    (await list()).map(({ name }) => name),
    ['Another', 'reminder'],
  )
  for (const status of [204, 404])
    assert.equal((await call(server, templates.deleteTemplate, { token, params: { id } })).status, status)
  assert.equal((await save({ id, name: 'Gone', text: 'x' })).status, 404)
})

test('a bad text is a 422 on it, users read templates, and other companies do not', async () => {
  for (const text of ['', 'x'.repeat(2_001), 'Hello {{name', 'Hello {{first name}}', 'Hello {{}}']) {
    const { status, body } = await save({ name: 'Bad', text })
    const { fields } = body as unknown as { fields: object }
    assert.deepEqual([status, Object.keys(fields)], [422, ['text']], text.slice(0, 30))
  }
  const { id } = (await save({ name: 'Braces', text: String.raw`\{{name}} costs {{price}}` })).body
  const user = await newUser(server, token)
  assert.equal(
    (await call(server, templates.listTemplates, { token: user.token })).body.templates.length > 0,
    true,
  )
  assert.equal((await save({ name: 'Mine', text: 'x' }, user.token)).status, 403)
  const theirs = (await newUser(server, superadmin, { role: 'admin', companyId: 3 })).token
  assert.deepEqual((await call(server, templates.listTemplates, { token: theirs })).body.templates, [])
  assert.equal((await save({ id, name: 'Taken over', text: 'x' }, theirs)).status, 404)
  assert.equal((await call(server, templates.deleteTemplate, { token: theirs, params: { id } })).status, 404)
})
