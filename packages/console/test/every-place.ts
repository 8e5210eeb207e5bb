import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sizes, useBrowser } from './browser.ts'
import { cutOff } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

/**
 * Goes to the screens and dialogs on a phone, and makes the window wider there: to the desktop at 200 %, then to the whole
 * desktop. What a theme can break is looked at in both themes. A file takes every second place, from the first or the
 * second on, so that two run beside each other.
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
        assert.deepEqual(await cutOff(page), [], size)
        // Zoomed there is nothing of another colour than on the phone.
        if (size === 'zoomed') continue
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFindings(page, 'colours'), [], `${size}, dark`)
        await page.emulateMedia({ colorScheme: 'light' })
      }
    })
  }
}
