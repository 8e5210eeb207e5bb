import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contact } from '@sdd/contract/people/contacts.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleContacts } from './example-contacts.ts'
import { useExampleServer } from './example-server.ts'
import { exampleUsers } from './example-staff.ts'
import { exampleSims } from './example-sims.ts'

const open = useBrowser()
const server = await useExampleServer()

/** The body of the last call with this method whose path begins so. */
function lastBody(method: string, path: string): unknown {
  return JSON.parse(
    server.asked.findLast((call) => call.method === method && call.path.startsWith(path))?.body ?? 'null',
  )
}

test('saving a user keeps what a colleague changed meanwhile', async (t) => {
  let users = exampleUsers(6)
  server.answers['GET /api/my-users'] = () => ({ body: { users } })
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByLabel('Name').fill('Luis Vega Gil')
  await eventually(() => assert.equal(server.listeners(), 1))
  users = users.map((one) =>
    one.id === 3
      ? { ...one, email: 'moved@example.com', role: 'admin' as const, enabled: false, companyId: 1 }
      : one,
  )
  server.publish('/front/change', { changed: ['users'] })
  await page.getByText('moved@example.com').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(lastBody('POST', '/api/user'), {
    id: 3,
    name: 'Luis Vega Gil',
    email: 'moved@example.com',
    role: 'admin',
  })
})

test('saving a contact keeps the lists and fields that a colleague changed meanwhile', async (t) => {
  let contact: Contact = exampleContacts[0]!
  server.answers['GET /api/contacts'] = () => ({ body: { contacts: [contact], next_cursor: null } })
  server.answers['GET /api/contacts/*'] = () => ({ body: contact })
  const page = await open(t, { url: server.url })
  await page.goto('/contacts')
  await page.getByText(contact.number).click()
  const form = page.getByRole('dialog', { name: contact.number })
  await form.getByLabel('Nombre', { exact: true }).fill('Lucía Prado Gil')
  await eventually(() => assert.equal(server.listeners(), 1))
  contact = { ...contact, lists: ['morosos'], fields: { ciudad: 'Lugo' } }
  server.publish('/front/change', { changed: ['contacts'] })
  await page.getByText('morosos').waitFor()
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(lastBody('PUT', '/api/contacts/'), { name: 'Lucía Prado Gil' })
})

test('the form of a contact has its newest lists, whatever the conversation had loaded', async (t) => {
  let contact: Contact = exampleContacts[0]!
  server.answers['GET /api/contacts/*'] = () => ({ body: contact })
  t.after(server.holdLive())
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111222&company=1')
  await page.getByText('vip').first().waitFor()
  contact = { ...contact, lists: ['morosos'] }
  await page.getByRole('button', { name: 'Cambiar el contacto' }).click()
  await eventually(async () =>
    assert.equal(await page.getByRole('dialog').getByLabel('Listas').inputValue(), 'morosos'),
  )
})

test('only the changed fields of an alert rule are sent', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=alerts&open=rule-2')
  const form = page.getByRole('dialog')
  await form.getByRole('checkbox', { name: 'Marta Sanz' }).check()
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(lastBody('POST', '/api/alert-rules'), { id: 2, channels: [1, 2, 3] })
})

test('only the changed fields of a SIM are sent, and nothing if none was changed', async (t) => {
  server.answers['POST /api/sims/*'] = { body: exampleSims(server.devices[1]!)[0] }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const edit = page.getByRole('region', { name: /^SIM 1/ }).getByRole('button', { name: 'Editar' })
  const form = page.getByRole('dialog')
  await edit.click()
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.equal(lastBody('POST', '/api/sims/'), null)
  await edit.click()
  await form.getByLabel('Nota').fill('En el cajón')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(lastBody('POST', '/api/sims/'), { note: 'En el cajón' })
})

test('only the changed fields of a device are sent, and nothing if none was changed', async (t) => {
  server.answers['POST /api/device/*'] = { body: server.devices[1] }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002?dialog=edit')
  const form = page.getByRole('dialog', { name: 'Editar drone-0002' })
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.equal(lastBody('POST', '/api/device/'), null)
  await page.getByRole('button', { name: 'Editar…' }).click()
  await form.getByLabel('Nota').fill('Junto a la ventana')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(lastBody('POST', '/api/device/'), { note: 'Junto a la ventana' })
})
