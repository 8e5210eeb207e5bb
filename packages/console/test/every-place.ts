import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type sizes, useBrowser } from './browser.ts'
import { cutOff } from './cut-off.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

/** Goes to each screen and dialog at this size, and looks at it in both themes. */
export function testEveryPlace(size: keyof typeof sizes): void {
  const open = useBrowser()
  let server: ExampleServer

  before(async () => {
    server = await openExampleServer()
  })
  after(() => server.stop())

  for (const [place, go] of Object.entries(places)) {
    test(`${place} has no axe finding and is not cut off (${size}, both themes)`, async (t) => {
      const page = await open(t, { url: server.url, size })
      await go(page)
      assert.deepEqual(await axeFindings(page), [], 'light')
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await axeFindings(page), [], 'dark')
      assert.deepEqual(await cutOff(page), [])
    })
  }
}
