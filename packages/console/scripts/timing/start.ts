import type { Browser, Page } from 'playwright-core'
import type { Measurement } from './figure.ts'
import { profileOf } from '#test/browser.ts'
import { openExampleServer } from '#test/example-server.ts'

const SLOWER = 4
/**
 * The time that `work` takes on the machine for which the budgets hold, in ms. On a slower machine the page is slowed
 * less, so that the same page takes about the same time.
 */
const WORK_MS = 18
const RUNS = 3
/** The page counts as idle after this long without a long task, in ms. */
const QUIET_MS = 500

/**
 * Measures the time from navigation until the screen is drawn and idle, on a throttled CPU; the median of several runs.
 */
export async function measureStart(browser: Browser): Promise<Measurement[]> {
  const server = await openExampleServer({ devices: 10_000 })
  const { url } = server
  const rate = Math.max(1, (SLOWER * WORK_MS) / (await workMs(browser)))
  const login = await median(() => loadMs(browser, { url, rate }, '/login', 'button[type=submit]'))
  const devices = await median(() => loadMs(browser, { url, rate }, '/devices', 'tr[data-index="0"]'))
  await server.stop()
  return [
    { what: '`/login` usable, CPU slowed 4 ×', figure: login, budget: 900, unit: 'ms' },
    { what: '10,000 devices drawn and idle, CPU slowed 4 ×', figure: devices, budget: 1_500, unit: 'ms' },
  ]
}

async function workMs(browser: Browser): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const ms = await page.evaluate(work)
  await context.close()
  return ms
}

/** Runs in the page: work like that of a start with many rows. The median of several times, in ms. */
function work(): number {
  const took = Array.from({ length: 9 }, () => {
    const began = performance.now()
    const words = Array.from({ length: 20_000 }, (_, n) => `word ${(n * 7_919) % 20_011}`).sort()
    JSON.parse(JSON.stringify([...new Map(words.map((word) => [word, word.length]))]))
    return performance.now() - began
  })
  return took.sort((one, other) => one - other)[4]!
}

async function loadMs(
  browser: Browser,
  { url, rate }: { url: string; rate: number },
  path: string,
  drawn: string,
): Promise<number> {
  const context = await browser.newContext(
    profileOf({ url, role: path === '/login' ? 'none' : 'superadmin' }),
  )
  const page = await context.newPage()
  await slowDown(page, rate)
  await page.addInitScript(watch, drawn)
  await page.goto(path)
  await page.locator(drawn).waitFor({ timeout: 60_000 })
  const ms = await page.evaluate(idleAt, QUIET_MS)
  await context.close()
  return ms
}

async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
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
