import type { Browser, Page } from 'playwright-core'
import type { Measurement } from './figure.ts'
import { profileOf } from '#test/browser.ts'
import { openExampleServer } from '#test/example-server.ts'

const SLOWER = 4
const RUNS = 3
/** The page counts as idle after this long without a long task, in ms. */
const QUIET_MS = 500

/**
 * Measures the time from navigation until the screen is drawn and idle, on a throttled CPU; the median of several runs.
 */
export async function measureStart(browser: Browser): Promise<Measurement[]> {
  const server = await openExampleServer({ devices: 10_000 })
  const { url } = server
  const login = await median(() => loadMs(browser, url, '/login', 'button[type=submit]'))
  const devices = await median(() => loadMs(browser, url, '/devices', 'tr[data-index="0"]'))
  await server.stop()
  return [
    { what: '`/login` usable, CPU slowed 4 ×', figure: login, budget: 900, unit: 'ms' },
    { what: '10,000 devices drawn and idle, CPU slowed 4 ×', figure: devices, budget: 1_500, unit: 'ms' },
  ]
}

async function loadMs(browser: Browser, url: string, path: string, drawn: string): Promise<number> {
  const context = await browser.newContext(
    profileOf({ url, role: path === '/login' ? 'none' : 'superadmin' }),
  )
  const page = await context.newPage()
  await slowDown(page)
  await page.addInitScript(watch, drawn)
  await page.goto(path)
  await page.locator(drawn).waitFor({ timeout: 60_000 })
  const ms = await page.evaluate(idleAt, QUIET_MS)
  await context.close()
  return ms
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
}

type Watched = typeof globalThis & { busyUntil: number }

/** Runs in the page: records when `drawn` appeared or the page was last busy. */
function watch(drawn: string): void {
  const watched = globalThis as Watched
  watched.busyUntil = 0
  const busy = (until: number) => (watched.busyUntil = Math.max(watched.busyUntil, until))
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) busy(startTime + duration)
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    if (document.querySelector(drawn)) busy(performance.now())
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Runs in the page: returns when it was last busy, once it has been idle for `quietMs`. */
async function idleAt(quietMs: number): Promise<number> {
  const watched = globalThis as Watched
  while (watched.busyUntil === 0 || performance.now() - watched.busyUntil < quietMs) {
    await new Promise((rested) => setTimeout(rested, 50))
  }
  return watched.busyUntil
}

async function median(run: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  for (let n = 0; n < RUNS; n++) figures.push(await run())
  return figures.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0
}
