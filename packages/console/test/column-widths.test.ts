import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { changeLanguage, useBrowser } from './browser.ts'
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
      for (const language of ['es', 'en'] as const) {
        await changeLanguage(page, language)
        await page.locator(`html[lang=${language}]`).waitFor()
        assert.deepEqual(await cutTimes(page), [], `${width} wide, in ${language}`)
      }
    }
    await page.clock.setFixedTime('2027-01-05T10:00:00Z')
    await page.reload()
    await page.getByRole('cell').locator('time').first().waitFor()
    assert.deepEqual(
      (await cutTimes(page)).filter((cut) => !cut.includes('2026')),
      [],
    )
  })
}

/** Columns with times that are cut, and the titles of these cells. */
function cutTimes(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll<HTMLElement>('[role=cell]:has(> time)')]
    const cut = cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
    const titleOf = (cell: HTMLElement) =>
      cell.title || cell.querySelector<HTMLElement>('time')!.title || 'no title'
    return [...new Set(cut.map((cell) => `${cell.dataset['label']}: ${titleOf(cell)}`))]
  })
}
