import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sizes, useBrowser } from './browser.ts'
import { cutOffFindings } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

/**
 * Opens each screen and dialog on a phone, then widens the window: to the desktop at 200 %, then to the whole desktop.
 * Rules that depend on the theme run in both themes. Each of the two test files takes every second place, so that they
 * run in parallel.
 */
export function testEveryPlace(half: 'first' | 'second'): void {
  const open = useBrowser()
  let server: ExampleServer

  before(async () => {
    server = await openExampleServer()
  })
  after(() => server.stop())

  const isOfHalf = (_: unknown, n: number) => n % 2 === (half === 'first' ? 0 : 1)
  for (const [place, go] of Object.entries(places).filter(isOfHalf)) {
    test(`${place} has no axe finding and is not cut off, at each size and in both themes`, async (t) => {
      const page = await open(t, { url: server.url, size: 'phone' })
      await go(page)
      for (const size of ['phone', 'zoomed', 'desktop'] as const) {
        await page.setViewportSize(sizes[size])
        assert.deepEqual(await axeFindings(page), [], `${size}, light`)
        assert.deepEqual(await cutOffFindings(page), [], size)
        // The zoomed size has the same colours as the phone.
        if (size === 'zoomed') continue
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFindings(page, 'colours'), [], `${size}, dark`)
        await page.emulateMedia({ colorScheme: 'light' })
      }
    })
  }
}
