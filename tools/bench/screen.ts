import { openBrowser, profileOf } from '../../packages/console/test/browser.ts'
import { quantile } from './statistics.ts'

/** An SMS that the page never showed counts as this long. */
const MISSED_MS = 10_000
/** From the last SMS until the page has certainly loaded it. */
const LAST_MS = 2_500
const KEY_EVERY_MS = 200

/** The conversations in Chromium, where the texts of `textOf` are noted when they are first on the screen. */
export async function openScreen({ url, token }: { url: string; token: string }) {
  const browser = await openBrowser()
  const context = await browser.newContext(profileOf({ url }))
  await context.addInitScript((value) => localStorage.setItem('token', value), token)
  const page = await context.newPage()
  await page.goto('/conversations')
  const main = page.getByRole('main')
  await main.getByText('En vivo').waitFor()
  await main.getByRole('list').getByRole('link').first().waitFor()
  await page.evaluate(WATCH)
  const published = new Map<string, number>()

  /** Only moves the cursor, so that the list stays the same. */
  async function pressKeys(until: Promise<unknown>): Promise<void> {
    let goesOn = true
    void until.finally(() => (goesOn = false)).catch(() => {})
    while (goesOn) {
      await main.getByRole('searchbox').press('Home')
      await page.waitForTimeout(KEY_EVERY_MS)
    }
  }

  return {
    /** Call it when the SMS with this number is published. */
    published: (number: number) => void published.set(String(number), Date.now()),

    /** The time of each SMS until it was on the screen, and how long the page did not answer meanwhile. */
    async times(work: () => Promise<unknown>) {
      const working = work()
      await pressKeys(working)
      await working
      await page.waitForTimeout(LAST_MS)
      const { seen, longest_task_ms, longest_key_ms } = await page.evaluate<Noted>('takeNoted()')
      const at = new Map(seen)
      const times = [...published].map(([number, from]) => (at.get(number) ?? from + MISSED_MS) - from)
      published.clear()
      return {
        p50_ms: quantile(times, 0.5),
        p95_ms: quantile(times, 0.95),
        missed: times.filter((ms) => ms === MISSED_MS).length,
        longest_task_ms,
        longest_key_ms,
      }
    },

    close: () => browser.close(),
  }
}

export type Screen = Awaited<ReturnType<typeof openScreen>>

type Noted = { seen: [number: string, at: number][]; longest_task_ms: number; longest_key_ms: number }

/** Runs in the page. */
const WATCH = `
  const seen = new Map()
  let longest_task_ms = 0
  let longest_key_ms = 0
  function look() {
    const now = Date.now()
    for (const row of document.querySelectorAll('main [data-row]')) {
      const number = /parcel (\\d+) arrives/.exec(row.textContent)?.[1]
      if (number !== undefined && !seen.has(number)) seen.set(number, now)
    }
  }
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.querySelector('main'), {
    subtree: true,
    childList: true,
    characterData: true,
  })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest_task_ms = Math.max(longest_task_ms, duration)
  }).observe({ type: 'longtask' })
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown') longest_key_ms = Math.max(longest_key_ms, duration)
  }).observe({ type: 'event', durationThreshold: 16 })
  globalThis.takeNoted = () => {
    const noted = { seen: [...seen], longest_task_ms, longest_key_ms }
    seen.clear()
    longest_task_ms = longest_key_ms = 0
    return noted
  }`
