import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeLanguage, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'
import { wrapList, type ReceivedCall, type ListShape } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

function posts(): ReceivedCall[] {
  return server.asked.filter(({ method, path }) => method === 'POST' && path === '/api/device-list-settings')
}

for (const shape of ['bare', 'named', 'data'] as ListShape[]) {
  test(`the devices' settings are read ${shape}`, async (t) => {
    const rows = [{ uid: 'alpha-1', status: 'connected', max_sms_dayly: 12 }]
    server.answers['GET /api/device-list-settings'] = { body: wrapList(shape, 'devices', rows) }
    const page = await open(t, { url: server.url })
    await page.goto('/settings?tab=devices')
    const cells = rowOf(page, 'alpha-1').getByRole('cell')
    await cells.first().waitFor()
    assert.deepEqual((await cells.allInnerTexts()).slice(0, 3), ['alpha-1', 'connected', '12'])
  })
}

test('a row becomes a number input, and a plain row again after saving', async (t) => {
  server.answers['POST /api/device-list-settings'] = () => {
    server.devices = server.devices.with(1, { ...server.devices[1]!, max_sms_dayly: 70 })
    return { body: { max_sms_dayly: 70 } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('button', { name: 'Edit' }).click()
  await page.waitForURL('**/settings?tab=devices&edit=drone-0002')
  const input = row.getByRole('spinbutton')
  assert.equal(await input.inputValue(), '1000')
  await eventually(async () => assert.ok(await input.evaluate((field) => field === document.activeElement)))
  await input.fill('75')
  await row.getByRole('button', { name: 'Save' }).click()
  // The server's value counts, not the typed one.
  await row.getByRole('cell', { name: '70', exact: true }).waitFor()
  assert.deepEqual(
    posts().map(({ body }) => JSON.parse(body) as unknown),
    [{ uid: 'drone-0002', max_sms_dayly: 75 }],
  )
  await eventually(async () =>
    assert.ok(
      await row.getByRole('button', { name: 'Edit' }).evaluate((button) => button === document.activeElement),
    ),
  )
})

test('Cancel and Escape leave a limit unchanged; Enter saves it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  const row = rowOf(page, 'drone-0002')
  for (const leave of [
    () => row.getByRole('button', { name: 'Cancel' }).click(),
    () => page.keyboard.press('Escape'),
  ]) {
    await row.getByRole('button', { name: 'Edit' }).click()
    await row.getByRole('spinbutton').fill('5')
    await leave()
    await row.getByRole('cell', { name: '1000', exact: true }).waitFor()
  }
  assert.deepEqual(posts(), [])
  await row.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await row.getByRole('spinbutton').inputValue(), '1000')
  await row.getByRole('spinbutton').fill('0')
  await page.keyboard.press('Enter')
  await row.getByText('no envía nada').waitFor()
})

test('a refused limit stays open with the typed value and the reason', async (t) => {
  server.answers['POST /api/device-list-settings'] = {
    status: 422,
    body: { detail: 'Too many.', code: 'invalid' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices&edit=drone-0002')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('spinbutton').fill('77')
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Too many.', { exact: true }).waitFor()
  assert.equal(await row.getByRole('spinbutton').inputValue(), '77')
  server.answers['POST /api/device-list-settings'] = { status: 500 }
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Error al guardar', { exact: true }).waitFor()
  await row.getByRole('spinbutton').fill('3.000')
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Escriba un número entero de 0 a 100000.').waitFor()
  assert.equal(posts().length, 2)
})

test('limits are sorted by each column, and a chosen language shows the use of today', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
    'UID',
    'Status',
    'Max SMS daily',
    'Actions',
  ])
  await changeLanguage(page, 'en')
  const sent = page.getByRole('columnheader', { name: 'Sent today' })
  for (const order of ['ascending', 'descending']) {
    await sent.getByRole('button').click()
    await eventually(async () => assert.equal(await sent.getAttribute('aria-sort'), order))
  }
  await page.waitForURL('**/settings?*sort=sent_today*')
  const [busiest] = server.devices.toSorted((a, b) => b.sent_today - a.sent_today)
  await eventually(async () =>
    assert.equal(await page.getByRole('row').nth(1).getByRole('cell').first().innerText(), busiest!.uid),
  )
  await rowOf(page, busiest!.uid)
    .getByRole('cell', { name: String(busiest!.sent_today), exact: true })
    .waitFor()
})

test("a device's status updates live", async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').getByText('connected', { exact: true }).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
  await rowOf(page, 'drone-0001').getByText('disconnected').waitFor()
})

test('a search among 10,000 devices finds one by its uid, and few rows are mounted', async (t) => {
  server.answers['GET /api/device-list-settings'] = { body: exampleDevices(10_000) }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '10001')
  assert.ok((await page.getByRole('row').count()) <= 60)
  await page.keyboard.press('/')
  await page.keyboard.type('E-9999')
  await rowOf(page, 'drone-9999').waitFor()
  assert.equal(await page.getByRole('row').count(), 2)
  await page.getByPlaceholder('UID').fill('none like it')
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('without devices the table offers to link one', async (t) => {
  server.answers['GET /api/device-list-settings'] = { body: [] }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await page.getByRole('link', { name: 'Link device' }).click()
  await page.getByRole('dialog', { name: 'Link device' }).waitFor()
})

test('a change of the language keeps the typed limit, and says in its words why it is refused', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices&edit=drone-0002')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('spinbutton').fill('-1')
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'Escriba un número entero de 0 a 100000.' }).waitFor()
  await changeLanguage(page, 'en')
  await page.getByRole('alert').filter({ hasText: 'Type a whole number from 0 to 100000.' }).waitFor()
  await page.getByRole('columnheader', { name: 'Daily SMS limit' }).waitFor()
  assert.equal(await row.getByRole('spinbutton').inputValue(), '-1')
  await changeLanguage(page, 'es')
  await rowOf(page, 'drone-0001').getByText('conectado', { exact: true }).waitFor()
})

test('a limit that is edited while that of another device is saved stays open with its value', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.answers['POST /api/device-list-settings'] = async () => {
    await released
    return { body: { max_sms_dayly: 75 } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  const [first, second] = [rowOf(page, 'drone-0001'), rowOf(page, 'drone-0002')]
  await first.getByRole('button', { name: 'Edit' }).click()
  await first.getByRole('spinbutton').fill('75')
  await page.keyboard.press('Enter')
  await eventually(() => assert.equal(posts().length, 1))
  await second.getByRole('button', { name: 'Edit' }).click()
  await second.getByRole('spinbutton').fill('8')
  release()
  await page.getByText('drone-0001: 75 al día').waitFor()
  assert.equal(await second.getByRole('spinbutton').inputValue(), '8')
})
