import type { Browser } from 'playwright-core'
import type { Measurement } from './figure.ts'
import { profileOf, sizes } from '#test/browser.ts'
import { openExampleServer } from '#test/example-server.ts'
import { axeFindings } from '#test/axe.ts'
import { places } from '#test/places.ts'

/** Counts the axe findings on every screen and dialog, in each theme and size. */
export async function countFindings(browser: Browser): Promise<Measurement[]> {
  const server = await openExampleServer()
  const found: string[] = []
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
    for (const theme of ['light', 'dark'] as const) {
      for (const [place, go] of Object.entries(places)) {
        const context = await browser.newContext(profileOf({ url: server.url, size, theme }))
        const page = await context.newPage()
        await go(page)
        for (const finding of await axeFindings(page)) found.push(`${place} (${theme}, ${size}): ${finding}`)
        await context.close()
      }
    }
  }
  await server.stop()
  for (const finding of found) console.error(finding)
  const looks = Object.keys(places).length * 4
  return [{ what: `axe findings on ${looks} views`, figure: found.length, budget: 0, unit: '' }]
}
