import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { places } from './places.ts'
import { buildPseudoLocale, collectData, untranslated } from './pseudo-locale.ts'

/**
 * Opens each screen and dialog in a language whose texts are marked. A text without marks would stay untranslated in
 * any other language too. Each of the two test files takes every second place, so that they run in parallel.
 */
export function testEveryText(half: 'first' | 'second'): void {
  const open = useBrowser()
  let server: ExampleServer
  let dist: string

  before(async () => {
    dist = await buildPseudoLocale(await mkdtemp(join(tmpdir(), 'pseudo-locale-')))
    server = await openExampleServer({ dist })
  })
  after(async () => {
    await server.stop()
    await rm(dist, { recursive: true })
  })

  const isOfHalf = (_: unknown, n: number) => n % 2 === (half === 'first' ? 0 : 1)
  for (const [place, go] of Object.entries(places).filter(isOfHalf)) {
    test(`${place} shows no text that has only one wording`, async (t) => {
      const page = await open(t, { url: server.url, language: 'es' })
      const data = collectData(page)
      await go(page)
      await page.getByRole('heading').first().waitFor()
      assert.match(await page.locator('body').innerHTML(), /\u200b/, 'the marked texts are shown')
      assert.deepEqual(await untranslated(page, data), [])
    })
  }
}
