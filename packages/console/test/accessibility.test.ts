import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { sizes, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Each screen and dialog, and how to get there. */
const places: Record<string, (page: Page) => Promise<unknown>> = {
  login: (page) => page.goto('/login'),
  'login, refused': async (page) => {
    await page.goto('/login')
    await page.getByPlaceholder('Username').fill('x')
    await page.getByPlaceholder('Password').fill('x')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.getByRole('alert').waitFor()
  },
  dashboard: async (page) => {
    await page.goto('/dashboard')
    await page.getByText('En vivo').waitFor()
  },
  devices: async (page) => {
    await page.goto('/devices?open=drone-0002')
    await page.getByText('ops-norte-5g').waitFor()
  },
  'devices, send form': async (page) => {
    await page.goto('/devices?send=drone-0001')
    await page.getByRole('dialog').waitFor()
  },
  'send, result': async (page) => {
    await page.goto('/devices?send=drone-0001')
    await page.getByPlaceholder('+34...').fill('600111222')
    await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  },
  sms: async (page) => {
    await page.goto('/sms')
    await page.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' })
  },
  logs: async (page) => {
    await page.goto('/logs')
    await page.getByRole('button', { name: '450' }).waitFor()
  },
  'logs, filters and details': async (page) => {
    await page.goto('/logs?errors=true')
    await page.getByRole('button', { name: 'Filtros' }).click()
    await page.getByRole('row').nth(2).click()
    await page.getByText('queue_timestamp').waitFor()
  },
  'menu, shortcuts': async (page) => {
    await page.goto('/dashboard')
    await page.getByText('En vivo').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
}

for (const [place, go] of Object.entries(places)) {
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    for (const theme of ['light', 'dark'] as const) {
      test(`${place} has no axe finding (${theme}, ${size})`, async (t) => {
        const page = await open(t, { url: server.url, size, theme })
        await go(page)
        const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze()
        const said = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
        )
        assert.deepEqual(said, [])
      })
    }
  }
}

test('at 200 % zoom no screen scrolls sideways', async (t) => {
  const page = await open(t, { url: server.url })
  await page.setViewportSize({ width: 720, height: 450 })
  for (const path of ['/login', '/dashboard', '/devices?open=drone-0002', '/sms', '/logs']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.equal(overflow, 0, path)
  }
})
