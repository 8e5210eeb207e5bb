import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type sizes, useBrowser } from './browser.ts'
import { cutOff } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

/**
 * Goes to the screens and dialogs at this size, and looks at each in both themes. Every second place, from the first or the
 * second on: all of them would take a file longer than it may.
 */
export function testEveryPlace(size: keyof typeof sizes, half: 'first' | 'second'): void {
  const open = useBrowser()
  let server: ExampleServer

  before(async () => {
    server = await openExampleServer()
  })
  after(() => server.stop())

  const isOfHalf = (_: unknown, n: number) => n % 2 === (half === 'first' ? 0 : 1)
  for (const [place, go] of Object.entries(places).filter(isOfHalf)) {
    test(`${place} has no axe finding and is not cut off (${size}, both themes)`, async (t) => {
      const page = await open(t, { url: server.url, size })
      await go(page)
      assert.deepEqual(await axeFindings(page), [], 'light')
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await axeFindings(page, 'colours'), [], 'dark')
      assert.deepEqual(await cutOff(page), [])
    })
  }
}
