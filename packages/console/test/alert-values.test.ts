import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlertRule } from '@sdd/contract/outward/alerts.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleRules } from './example-alerts.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

test('digits that are typed after Enter stay in the threshold of an alert rule, and the next Enter saves them', async (t) => {
  const [rule] = exampleRules.filter(({ condition }) => condition === 'daily_limit_used')
  const released = Promise.withResolvers<void>()
  const values: unknown[] = []
  server.answers['POST /api/alert-rules'] = async ({ body }) => {
    const { value } = JSON.parse(body) as AlertRule
    values.push(value)
    if (values.length === 1) await released.promise
    return { body: { ...rule, value } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=alerts')
  const field = page.getByLabel('Umbral de Límite diario')
  await field.fill('8')
  await field.press('Enter')
  await eventually(() => assert.deepEqual(values, [8]))
  await field.press('1')
  released.resolve()
  await eventually(() =>
    assert.ok(server.asked.filter(({ path }) => path === '/api/alert-rules').length > 1, 'they are loaded'),
  )
  assert.equal(await field.inputValue(), '81')
  await field.press('Enter')
  await eventually(() => assert.deepEqual(values, [8, 81]))
})
