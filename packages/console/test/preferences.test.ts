import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ hasText: name }).first()
}

async function heightOf(row: Locator): Promise<number> {
  return (await row.boundingBox())?.height ?? 0
}

for (const [path, first, second, was, becomes] of [
  ['/devices', 'drone-0001', 'drone-0002', 48, 37],
  ['/logs', '450', '449', 33, 43],
] as const) {
  test(`the rows of ${path} change their height, stay in order, and keep the choice`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(path)
    const row = rowOf(page, first)
    await row.waitFor()
    assert.ok(Math.abs((await heightOf(row)) - was) <= 1)
    await page.getByRole('button', { name: 'Filas compactas' }).click()
    await eventually(async () => assert.ok(Math.abs((await heightOf(row)) - becomes) <= 1))
    await page.reload()
    await row.waitFor()
    assert.ok(Math.abs((await heightOf(row)) - becomes) <= 1)
    await eventually(async () => {
      const [upper, lower] = await Promise.all([row.boundingBox(), rowOf(page, second).boundingBox()])
      assert.ok(Math.abs((lower?.y ?? 0) - (upper?.y ?? 0) - (upper?.height ?? 0)) <= 1)
    })
  })
}

test('the set of columns is remembered, and an address that names one takes precedence', async (t) => {
  const page = await open(t, { url: server.url })
  const chosen = (name: string) => page.getByRole('button', { name, exact: true, pressed: true })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Errores' }).click()
  await chosen('Errores').waitFor()
  await page.goto('/logs')
  await chosen('Errores').waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 7)
  await page.goto('/logs?view=times')
  await chosen('Tiempos').waitFor()
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Todas' }).click()
  await page.reload()
  await chosen('Todas').waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 18)
})
