import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

async function openPanel(page: Page, path: string): Promise<Locator> {
  await page.goto(path)
  await page.getByRole('button', { name: 'Columnas y vistas guardadas' }).press('Enter')
  const panel = page.getByRole('region', { name: 'Vista de los registros' })
  await panel.waitFor()
  return panel
}

async function columnsAre(page: Page, wanted: string[] | number): Promise<void> {
  await eventually(async () => {
    const shown = await page.getByRole('columnheader').allTextContents()
    assert.deepEqual(typeof wanted === 'number' ? shown.length : shown, wanted)
  })
}

test('columns are chosen one by one, in the usual order, and kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  const panel = await openPanel(page, '/logs')
  assert.equal(await panel.getByRole('checkbox').count(), 18)
  assert.ok(await panel.getByRole('checkbox', { name: 'ID', exact: true }).isDisabled())
  await page.getByRole('button', { name: 'Errores', exact: true }).click()
  await panel.getByRole('checkbox', { name: 'Notes' }).press('Space')
  await panel.getByRole('checkbox', { name: 'Mensaje' }).press('Space')
  const chosen = ['ID', 'Device GUID', 'Mensaje', 'Destino', 'Error', 'Error Msg', 'Error Time']
  await columnsAre(page, chosen)
  assert.equal(await page.getByRole('button', { name: 'Errores', pressed: true }).count(), 0)
  await page.reload()
  await columnsAre(page, chosen)
  await page.getByRole('button', { name: 'Todas', exact: true }).click()
  await columnsAre(page, 18)
  assert.equal(new URL(page.url()).search, '')
})

test('an unknown column in an address is ignored, and the column that opens a message is always there', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs?columns=message,nonsense')
  await columnsAre(page, ['ID', 'Mensaje'])
  await page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).click()
  await page.getByRole('complementary', { name: 'Detalle del mensaje' }).waitFor()
})

test('a view keeps filters and columns by name in this browser, and is opened, replaced and deleted', async (t) => {
  const page = await open(t, { url: server.url })
  const panel = await openPanel(page, '/logs?state=failed,expired&period=week&view=errors')
  await panel.getByText('Todavía no hay ninguna.').waitFor()
  const name = panel.getByRole('textbox', { name: 'Nombre' })
  assert.ok(await panel.getByRole('button', { name: 'Guardar esta vista' }).isDisabled())
  await name.fill(' fallos de la semana ')
  await name.press('Enter')
  const link = panel.getByRole('link', { name: 'fallos de la semana', exact: true })
  await link.waitFor()
  await openPanel(page, '/logs')
  await columnsAre(page, 18)
  await link.press('Enter')
  await page.waitForURL('**/logs?state=failed%2Cexpired&period=week&view=errors')
  await columnsAre(page, 7)
  await eventually(() => {
    const asked = server.asked.findLast(({ path }) => path === '/api/logs/devices')
    assert.equal(asked?.query.get('state'), 'failed,expired')
  })
  await page.getByRole('button', { name: 'Todas', exact: true }).click()
  await name.fill('fallos de la semana')
  await name.press('Enter')
  await page.getByRole('button', { name: 'Entrega', exact: true }).click()
  await columnsAre(page, 8)
  await link.click()
  await columnsAre(page, 18)
  await page.getByRole('button', { name: 'Todas', pressed: true }).waitFor()
  await panel.getByRole('button', { name: 'Borrar la vista fallos de la semana' }).press('Enter')
  await panel.getByText('Todavía no hay ninguna.').waitFor()
})

test('what the browser keeps may be anything', async (t) => {
  const page = await open(t, { url: server.url })
  await page.addInitScript(() =>
    localStorage.setItem('log views 1', '[{"name":3},null,{"name":"a","search":{}}]'),
  )
  const panel = await openPanel(page, '/logs')
  assert.deepEqual(await panel.getByRole('link').allInnerTexts(), ['a'])
})
