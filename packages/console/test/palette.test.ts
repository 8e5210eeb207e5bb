import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

async function openPalette(page: Page) {
  await page.goto('/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  return pressKeys(page)
}

/** The field gets the focus one frame after it is drawn; keys pressed before that would be lost. */
async function pressKeys(page: Page) {
  await page.keyboard.press('ControlOrMeta+k')
  const field = page.getByRole('combobox', { name: 'Ir a cualquier parte' })
  await field.and(page.locator(':focus')).waitFor()
  return field
}

/** The option that Enter would run. */
function current(page: Page): Promise<string> {
  return page.getByRole('option', { selected: true }).innerText()
}

test('Ctrl-K opens it from anywhere, also from a field, and closes it again', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const search = page.getByPlaceholder('UID')
  await search.focus()
  await page.keyboard.press('ControlOrMeta+k')
  const dialog = page.getByRole('dialog', { name: 'Ir a cualquier parte' })
  await dialog.waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await dialog.waitFor({ state: 'detached' })
  await eventually(async () =>
    assert.equal(await search.evaluate((input) => input === document.activeElement), true),
  )
})

test('arrows move through the options, Enter runs one, and the field keeps the focus', async (t) => {
  const page = await open(t, { url: server.url })
  const field = await openPalette(page)
  await page.keyboard.type('lo')
  assert.match(await current(page), /^Logs/)
  await page.keyboard.press('ArrowDown')
  assert.match(await current(page), /^Logout/)
  const active = await field.getAttribute('aria-activedescendant')
  assert.equal(await page.getByRole('option', { selected: true }).getAttribute('id'), active)
  await page.keyboard.press('Tab')
  assert.equal(await field.evaluate((input) => input === document.activeElement), true)
  await page.keyboard.press('ArrowDown')
  assert.match(await current(page), /^Logs/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Transaction Logs' }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('a part of a uid finds the device in the loaded list, and opens it', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  await openPalette(page)
  server.asked.length = 0
  await page.keyboard.type('NE-0007')
  await page.getByRole('option', { name: 'drone-0007 connected' }).waitFor()
  assert.equal(server.asked.filter(({ path }) => path === '/api/device-list').length, 0)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Networks drone-0007' }).waitFor()
})

test('it offers to send through connected devices only', async (t) => {
  const page = await open(t, { url: server.url })
  await openPalette(page)
  const away = server.devices.find(({ status }) => status === 'disconnected')?.uid ?? ''
  await page.keyboard.type(away)
  await page.getByRole('option', { name: `${away} disconnected` }).waitFor()
  assert.equal(await page.getByRole('option', { name: `Send SMS por ${away}` }).count(), 0)
  await page.getByRole('combobox').fill('drone-0001')
  await page.getByRole('option', { name: 'Send SMS por drone-0001' }).click()
  await page.getByRole('dialog', { name: 'Send SMS' }).getByText('drone-0001').waitFor()
})

for (const [what, wanted] of [
  ['its guid', (row: { guid: string }) => row.guid.slice(0, 13)],
  ['its number', (row: { message_to: string }) => row.message_to],
] as const) {
  test(`a message is found by ${what}, with one request after a pause in typing`, async (t) => {
    const goLive = server.holdLive()
    t.after(goLive)
    const page = await open(t, { url: server.url })
    const row = server.logs[40]
    assert.ok(row)
    await openPalette(page)
    server.asked.length = 0
    // A slow machine must not pause between two letters.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.keyboard.type(wanted(row))
    await page.clock.resume()
    await page
      .getByRole('option', { name: row.message_to })
      .filter({ has: page.getByRole('img') })
      .click()
    await page.getByRole('complementary', { name: 'Detalle del mensaje' }).getByText('Recorrido').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('open'), row.guid)
    const searches = server.asked.filter(({ query }) => query.get('limit') === '5')
    assert.deepEqual(
      searches.map(({ query }) => query.get('search')),
      [wanted(row)],
    )
  })
}

test('without search on the server no wrong message is found, and a failed search is reported', async (t) => {
  const page = await open(t, { url: server.url })
  server.answers['GET /api/logs/devices'] = { body: server.logs }
  await openPalette(page)
  await page.keyboard.type('no such thing')
  await page.getByText('1 resultado', { exact: true }).waitFor()
  server.answers['GET /api/logs/devices'] = { status: 500 }
  await page.keyboard.type(' at all')
  await page.getByText('No se pudieron buscar mensajes.').waitFor()
})

test('it sets the theme and logs out', async (t) => {
  const page = await open(t, { url: server.url })
  await openPalette(page)
  await page.keyboard.type('oscuro')
  await page.keyboard.press('Enter')
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark'),
  )
  await pressKeys(page)
  await page.keyboard.type('logout')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
})

test('its button is in the menu, or in the header while the menu is closed', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('button', { name: 'Buscar o ir a…' }).click()
  await page.getByRole('dialog', { name: 'Ir a cualquier parte' }).locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Buscar o ir a…' }).click()
  await page.getByRole('dialog', { name: 'Ir a cualquier parte' }).waitFor()
})

test('it does not open over another modal', async (t) => {
  const page = await open(t, { url: server.url })
  // Once its code is loaded, it would open at once.
  await openPalette(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await rowOf(page, 'drone-0001').getByRole('button', { name: 'Send SMS' }).click()
  await page.getByRole('dialog', { name: 'Send SMS' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('+34...').fill('600111222')
  // A second dialog would hide the first one from roles, so their number proves nothing.
  assert.equal(await page.getByRole('dialog', { name: 'Ir a cualquier parte' }).count(), 0)
})

test('an entry with the text in its label comes before those that are only known by it', async (t) => {
  const page = await open(t, { url: server.url })
  await openPalette(page)
  await page.keyboard.type('envio')
  await page.getByRole('option', { name: 'Campañas' }).waitFor()
  await page.getByRole('option', { name: 'Parar el envío' }).waitFor()
  assert.equal(await current(page), 'Parar el envío')
})

test('a place finds its devices', async (t) => {
  const page = await open(t, { url: server.url })
  const { uid, location } = server.devices.find((device) => device.location)!
  await openPalette(page)
  await page.keyboard.type(location!.slice(0, 4).toUpperCase())
  await page.getByRole('option', { name: new RegExp(`^${uid} .*${location}`) }).waitFor()
})
