import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sizes, useBrowser } from './browser.ts'
import { cutOff } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

type Size = keyof typeof sizes

/**
 * Goes to the screens and dialogs with a browser of this size, and looks at each in both themes, and then at the sizes that
 * a person may make of its window. Every second place, from the first or the second on: all of them would take a file
 * longer than it may.
 */
export function testEveryPlace(size: Size, half: 'first' | 'second', resized: readonly Size[] = []): void {
  const open = useBrowser()
  let server: ExampleServer

  before(async () => {
    server = await openExampleServer()
  })
  after(() => server.stop())

  const seen = [size, ...resized]
  const isOfHalf = (_: unknown, n: number) => n % 2 === (half === 'first' ? 0 : 1)
  for (const [place, go] of Object.entries(places).filter(isOfHalf)) {
    test(`${place} has no axe finding and is not cut off (${seen.join(', ')}; both themes)`, async (t) => {
      const page = await open(t, { url: server.url, size })
      await go(page)
      for (const name of seen) {
        await page.setViewportSize(sizes[name])
        assert.deepEqual(await axeFindings(page), [], `${name}, light`)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFindings(page, 'colours'), [], `${name}, dark`)
        assert.deepEqual(await cutOff(page), [], name)
        await page.emulateMedia({ colorScheme: 'light' })
      }
    })
  }
}
