import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const tabs = [
  { tab: 'destinations', name: 'Destinos', other: 'Cuotas', label: 'Mensajes al día a un mismo número' },
  { tab: 'quotas', name: 'Cuotas', other: 'Destinos', label: 'Webhooks' },
]
for (const { tab, name, other, label } of tabs) {
  test(`unsaved ${tab} stay while the user looks at another tab or company, and can be discarded`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(`/settings?tab=${tab}`)
    const field = page.getByLabel(label)
    await field.waitFor()
    const saved = await field.inputValue()
    await field.fill('7')
    await page.getByRole('tab', { name: other }).click()
    await field.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name }).click()
    await page.getByText('Hay cambios sin guardar.').waitFor()
    assert.equal(await field.inputValue(), '7')
    const company = page.getByLabel('Empresa')
    await company.selectOption({ index: 1 })
    await page.waitForURL('**&company=2')
    await eventually(async () => assert.equal(await field.inputValue(), saved))
    await company.selectOption({ index: 0 })
    await eventually(async () => assert.equal(await field.inputValue(), '7'))
    await page.getByRole('button', { name: 'Descartar' }).click()
    assert.equal(await field.inputValue(), saved)
    assert.equal(await page.getByText('Hay cambios sin guardar.').count(), 0)
  })
}
