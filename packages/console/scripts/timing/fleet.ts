import type { Browser, Page } from 'playwright-core'
import type { Measurement } from './figure.ts'
import { profileOf } from '#test/browser.ts'
import { openExampleServer, type ExampleServer } from '#test/example-server.ts'

const DEVICES = 10_000
const BATCH = 25
/** 25 changes every 50 ms are 500 a second. */
const EVERY_MS = 50
const STORM_MS = 5_000

/** Measures sorting, filtering and toggling in a fleet of 10,000, at rest and under 500 status changes a second. */
export async function measureFleet(browser: Browser): Promise<Measurement[]> {
  const server = await openExampleServer({ devices: DEVICES })
  const context = await browser.newContext(profileOf({ url: server.url }))
  const page = await context.newPage()
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  const press = (selector: string, changes: string) => page.evaluate(pressAndSee, { selector, changes })
  const firstRow = 'tbody tr[data-index="0"] [data-column="uid"]'
  const sort = await press('thead th button', firstRow)
  await press('thead th button', firstRow)
  const filter = await press('fieldset button:nth-of-type(3)', firstRow)
  await press('fieldset button:nth-of-type(1)', firstRow)
  const toggle = await press('tr[data-index="1"] [type=checkbox]', 'tr[data-index="1"]')
  const storm = await weather(page, server)
  await context.close()
  await server.stop()
  const fleet = '10,000 devices:'
  return [
    { what: `${fleet} sorted`, figure: sort, budget: 60, unit: 'ms' },
    { what: `${fleet} filtered`, figure: filter, budget: 60, unit: 'ms' },
    { what: 'An optimistic toggle visible', figure: toggle, budget: 50, unit: 'ms' },
    { what: `${fleet} longest frame at 500 changes a second`, figure: storm.frame, budget: 50, unit: 'ms' },
    { what: `${fleet} a key typed meanwhile, at most`, figure: storm.key, budget: 100, unit: 'ms' },
  ]
}

/** Runs in the page: the time from a press until its effect is on screen. */
async function pressAndSee({ selector, changes }: { selector: string; changes: string }): Promise<number> {
  const seen = () => document.querySelector(changes)?.outerHTML.replace(/ style="[^"]*"/g, '')
  const before = seen()
  const began = performance.now()
  document.querySelector<HTMLElement>(selector)?.click()
  for (;;) {
    await new Promise(requestAnimationFrame)
    if (performance.now() - began > 5_000) throw new Error(`${selector} changed nothing`)
    if (seen() === before) continue
    // The browser paints this frame once a task after its callback.
    await new Promise((painted) => setTimeout(painted))
    return performance.now() - began
  }
}

/** The longest frame, and the longest time from a key press to the screen. */
async function weather(page: Page, server: ExampleServer): Promise<{ frame: number; key: number }> {
  let n = 0
  const changes = setInterval(() => {
    for (let k = 0; k < BATCH; k++, n++) {
      const device_uid = `drone-${String((n % DEVICES) + 1).padStart(4, '0')}`
      const status = Math.floor(n / DEVICES) % 2 === 0 ? 'disconnected' : 'connected'
      server.publish('devices/status', { device_uid, status })
    }
  }, EVERY_MS)
  const watching = page.evaluate(watchFrames, STORM_MS)
  await page.getByPlaceholder('UID').pressSequentially('drone-00', { delay: 150 })
  const figures = await watching
  clearInterval(changes)
  return figures
}

/** Runs in the page. */
async function watchFrames(forMs: number): Promise<{ frame: number; key: number }> {
  let key = 0
  // Events shorter than the threshold are not reported. Without any event, report the threshold, since none took
  // longer.
  const events = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.name === 'keydown') key = Math.max(key, entry.duration)
    }
  })
  events.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  let frame = 0
  let last = await new Promise(requestAnimationFrame)
  for (const end = last + forMs; last < end;) {
    const now = await new Promise(requestAnimationFrame)
    frame = Math.max(frame, now - last)
    last = now
  }
  events.disconnect()
  return { frame, key: Math.max(16, key) }
}
