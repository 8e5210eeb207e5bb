import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer({ devices: 10_000, logs: 20_000 })
})
after(() => server.stop())

test('10,000 devices with hundreds of changes a second stay usable, with few rows and nodes mounted', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '10001')
  let n = 0
  const changes = setInterval(() => {
    for (let k = 0; k < 25; k++) {
      const device_uid = `drone-${String((n++ % 10_000) + 1).padStart(4, '0')}`
      server.publish('devices/status', { device_uid, status: 'disconnected' })
    }
  }, 50)
  t.after(() => clearInterval(changes))
  await page.getByPlaceholder('UID').pressSequentially('drone-9999')
  const row = page.getByRole('row').filter({ hasText: 'drone-9999' })
  await row.waitFor()
  clearInterval(changes)
  server.publish('devices/status', { device_uid: 'drone-9999', status: 'disconnected' })
  await eventually(async () => assert.match(await row.innerText(), /disconnected/))
  await page.getByPlaceholder('UID').fill('')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.ok((await page.getByRole('row').count()) <= 60)
  assert.ok((await page.locator('*').count()) < 2_000)
})

test('the user can scroll to the last of 10,000 devices', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  await page.getByRole('table').evaluate((table) => table.parentElement?.scrollTo({ top: 1e9 }))
  await page.getByRole('cell', { name: 'drone-10000', exact: true }).waitFor()
  assert.ok((await page.getByRole('row').count()) <= 60)
})

test('the keyboard walks past the mounted rows, however fast the keys follow', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('button', { name: '20000' }).waitFor()
  await page.evaluate(() => {
    for (let n = 0; n < 60; n++) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
  })
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), '19941'),
  )
})
