import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sizes, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { axeFindings, places } from './places.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

for (const [place, go] of Object.entries(places)) {
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    for (const theme of ['light', 'dark'] as const) {
      test(`${place} has no axe finding (${theme}, ${size})`, async (t) => {
        const page = await open(t, { url: server.url, size, theme })
        await go(page)
        assert.deepEqual(await axeFindings(page), [])
      })
    }
  }
}

test('at 200 % zoom no screen scrolls sideways', async (t) => {
  const page = await open(t, { url: server.url })
  await page.setViewportSize({ width: 720, height: 450 })
  for (const path of [
    '/login',
    '/dashboard',
    '/devices?open=drone-0002',
    '/sms',
    '/logs',
    '/users',
    '/running-tasks',
    '/settings',
    '/settings?tab=devices',
    '/settings?tab=api-keys',
    '/settings?tab=callbacks',
    '/settings?tab=opt-outs',
    '/settings?tab=audit',
  ]) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.equal(overflow, 0, path)
  }
})
