import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFindings } from './axe.ts'
import { sizes, useBrowser } from './browser.ts'
import { cutOffFindings } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { places } from './places.ts'
import { buildPseudoLocale, collectData, untranslated } from './pseudo-locale.ts'

const FILES = 4

function twoFrames(page: Page): Promise<unknown> {
  return page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  )
}

/**
 * Opens each screen and dialog on a phone, in a language whose texts are marked, then widens the window: to the desktop
 * at 200 %, with the same elements and colours, then to the whole desktop. A text without marks would stay untranslated
 * in any other language. The places are divided among the test files, which run in parallel.
 */
export function testEveryPlace(file: 1 | 2 | 3 | 4): void {
  const open = useBrowser()
  let server: ExampleServer

  before(async () => {
    server = await openExampleServer({ devices: 12, dist: await buildPseudoLocale() })
  })
  after(() => server.stop())

  /** The looks of texts that were checked. */
  const light = new Set<string>()
  const dark = new Set<string>()

  async function checkLight(page: Page, size: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' })
    assert.deepEqual(await axeFindings(page, { known: light }), [], `${size}, light`)
  }

  async function checkDark(page: Page, size: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await axeFindings(page, { about: 'colours', known: dark }), [], `${size}, dark`)
  }

  const all = Object.entries(places)
  // Neighbours, because they have the same looks.
  const own = all.filter((_, n) => Math.floor((n * FILES) / all.length) === file - 1)
  for (const [place, go] of own) {
    test(`${place} has no axe finding, is not cut off and is translated, at each size and in both themes`, async (t) => {
      const page = await open(t, { url: server.url, size: 'phone', language: 'es' })
      const data = collectData(page)
      await go(page)
      await page.getByRole('heading').first().waitFor()
      assert.match(await page.locator('body').innerHTML(), /\u200b/, 'the marked texts are shown')
      await page.evaluate("import('/assets/axe.js')")
      for (const size of ['phone', 'zoomed', 'desktop'] as const) {
        await page.setViewportSize(sizes[size])
        // The parts that depend on the width are drawn again in the next frame.
        await twoFrames(page)
        assert.deepEqual(await cutOffFindings(page), [], size)
        assert.deepEqual(await untranslated(page, data), [], size)
        // The desktop begins in the theme in which the phone ends: the change of a theme draws everything.
        if (size === 'phone') await checkLight(page, size)
        if (size === 'zoomed') assert.deepEqual(await axeFindings(page, { about: 'layout' }), [], size)
        else await checkDark(page, size)
        if (size === 'desktop') await checkLight(page, size)
      }
    })
  }
}
