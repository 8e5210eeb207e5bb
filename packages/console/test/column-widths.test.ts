import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { changeLanguage, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const lists = {
  devices: '/devices',
  log: '/logs',
  tasks: '/running-tasks',
  callbacks: '/settings?tab=callbacks',
  'opt-outs': '/settings?tab=opt-outs',
  'API keys': '/settings?tab=api-keys',
  'audit log': '/settings?tab=audit',
}

for (const [list, address] of Object.entries(lists)) {
  test(`the times in the list of ${list} fit into their columns, or have a title in another year`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.clock.setFixedTime('2026-11-20T21:32:07Z')
    await page.goto(address)
    await page.getByRole('cell').locator('time').first().waitFor()
    for (const width of [1440, 1200, 1000]) {
      await page.setViewportSize({ width, height: 900 })
      // English first: the page is in Spanish before any choice, so this would wait for nothing.
      for (const language of ['en', 'es'] as const) {
        await changeLanguage(page, language)
        await page.locator(`html[lang=${language}]`).waitFor()
        await eventually(async () =>
          assert.deepEqual(await cutTimes(page), [], `${width} wide, in ${language}`),
        )
      }
    }
    await page.clock.setFixedTime('2027-01-05T10:00:00Z')
    await page.reload()
    await page.getByRole('cell').locator('time').first().waitFor()
    await eventually(async () =>
      assert.deepEqual(
        (await cutTimes(page)).filter((cut) => !cut.includes('2026')),
        [],
      ),
    )
  })
}

test('a date in the list of devices is on one line in each language', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const dates = page.getByRole('cell').locator('time')
  await dates.first().waitFor()
  for (const width of [1440, 1366, 1200]) {
    await page.setViewportSize({ width, height: 900 })
    for (const language of ['en', 'es'] as const) {
      await changeLanguage(page, language)
      await page.locator(`html[lang=${language}]`).waitFor()
      await eventually(async () => {
        const wrapped = await dates.evaluateAll((times) =>
          times.filter((time) => time.getBoundingClientRect().height > 24).map((time) => time.textContent),
        )
        assert.deepEqual(wrapped, [], `${width} wide, in ${language}`)
        assert.equal(await excessOf(page.getByRole('table').last()), 0, `${width} wide, in ${language}`)
      })
    }
  }
})

const WIDTHS = [768, 900, 1000, 1024, 1119, 1120, 1280, 1366, 1440, 1920]

/** The log and the tasks have the columns of the specification, which need more. */
const fitting = {
  devices: '/devices',
  users: '/users',
  contacts: '/contacts',
  templates: '/contacts?tab=templates',
  campaigns: '/campaigns',
  'rows of a campaign': '/campaigns/1',
  limits: '/settings?tab=devices',
  callbacks: lists.callbacks,
  'opt-outs': lists['opt-outs'],
  keywords: '/settings?tab=keywords',
  'API keys': lists['API keys'],
  'audit log': lists['audit log'],
}

for (const [list, address] of Object.entries(fitting)) {
  test(`the list of ${list} is a table only if its columns fit, so that it never scrolls sideways`, async (t) => {
    const page = await open(t, { url: server.url, language: 'en' })
    await page.goto(address)
    const table = page.getByRole('table').last()
    await table.getByRole('row').nth(1).waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      // A row is drawn again as a row or as a card.
      await eventually(async () => assert.equal(await excessOf(table), 0, `${width} wide`))
    }
    assert.match((await table.getAttribute('class'))!, /\bas-table\b/, 'it is a table where it fits')
  })
}

/** By how much the table is wider than the element around it, in px. */
function excessOf(table: Locator): Promise<number> {
  return table.evaluate((shown) => {
    const { clientWidth } = shown.parentElement!
    const { paddingLeft, paddingRight } = getComputedStyle(shown.parentElement!)
    return Math.max(0, shown.scrollWidth - (clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)))
  })
}

/** Columns with times that are cut, and the titles of these cells. */
function cutTimes(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll<HTMLElement>('[role=cell]:not([data-hidden]):has(> time)')]
    const cut = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
    const titleOf = (cell: HTMLElement) =>
      cell.title || cell.querySelector<HTMLElement>('time')!.title || 'no title'
    return [...new Set(cut.map((cell) => `${cell.dataset['label']}: ${titleOf(cell)}`))]
  })
}
