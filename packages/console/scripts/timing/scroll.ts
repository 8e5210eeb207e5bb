import type { Browser } from 'playwright-core'
import type { Measurement } from './figure.ts'
import { profileOf } from '#test/browser.ts'
import { openExampleServer } from '#test/example-server.ts'

const ROWS = 100_000
const RUNS = 3
const FRAMES = 200
/** Distance scrolled per frame, in px: about five rows. */
const STEP = 160

/** Measures scrolling through 100,000 loaded log rows. Times are the median of several runs. */
export async function measureScroll(browser: Browser): Promise<Measurement[]> {
  const server = await openExampleServer({ logs: ROWS })
  // All rows at once, like a server that does not paginate.
  server.answers['GET /api/logs/devices'] = { body: server.logs }
  const context = await browser.newContext(profileOf({ url: server.url }))
  const page = await context.newPage()
  await page.goto('/logs')
  await page.getByRole('button', { name: String(ROWS) }).waitFor({ timeout: 60_000 })
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  const scriptSecs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0
  }
  const runs: { p95: number; script: number; blank: number; most: number }[] = []
  for (let n = 0; n < RUNS; n++) {
    const before = await scriptSecs()
    const { frames, blank, most } = await page.evaluate(scroll, { frames: FRAMES, step: STEP })
    const script = (1000 * ((await scriptSecs()) - before)) / FRAMES
    runs.push({ p95: quantile(frames, 0.95), script, blank, most })
  }
  await context.close()
  await server.stop()
  const [times, scripts] = [runs.map(({ p95 }) => p95), runs.map(({ script }) => script)]
  const blank = runs.reduce((sum, run) => sum + run.blank, 0)
  const most = Math.max(...runs.map((run) => run.most))
  const scrolling = 'Scrolling 100,000 log rows:'
  return [
    { what: `${scrolling} p95 frame`, figure: quantile(times, 0.5), budget: 20, unit: 'ms' },
    { what: `${scrolling} script a frame`, figure: quantile(scripts, 0.5), budget: 3, unit: 'ms' },
    { what: `${scrolling} blank frames`, figure: blank, budget: 0, unit: '' },
    { what: `${scrolling} rows mounted`, figure: most, budget: 60, unit: '', binds: true },
  ]
}

function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? 0
}

/**
 * Runs in the page: scrolls one step per frame. Returns frame times, the frames without a row in the middle, and the
 * most rows mounted.
 */
async function scroll({ frames: count, step }: { frames: number; step: number }) {
  const scroller = document.querySelector('table')?.closest('section')
  if (!scroller) throw new Error('nothing scrolls')
  const { left, top, width, height } = scroller.getBoundingClientRect()
  const frames: number[] = []
  let blank = 0
  let most = 0
  let last = await new Promise(requestAnimationFrame)
  for (let n = 0; n < count; n++) {
    const now = await new Promise(requestAnimationFrame)
    frames.push(now - last)
    last = now
    if (!document.elementFromPoint(left + width / 2, top + height / 2)?.closest('tr')) blank++
    most = Math.max(most, scroller.querySelectorAll('tbody tr').length)
    scroller.scrollBy(0, step)
  }
  return { frames, blank, most }
}
