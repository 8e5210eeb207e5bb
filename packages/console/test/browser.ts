import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type BrowserServer,
  type Locator,
  type Page,
} from 'playwright-core'
import { findBrowser } from '../../../scripts/browser.ts'
import { keepPages, type UsedPages, type Visit } from './used-pages.ts'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** In CSS pixels; `zoomed` is the desktop's window at 200 %. */
export const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  zoomed: { width: 720, height: 450 },
}

/**
 * A browser for one file: `npm test` starts one for all files, and each connects to it. Without `npm test`, a file
 * starts its own. Closing it closes the pages of this file only.
 */
export async function openBrowser(): Promise<Browser> {
  const shared_url = process.env['TEST_BROWSER_URL']
  if (shared_url !== undefined) return chromium.connect(shared_url)
  return chromium.launch({ executablePath: await findBrowser(), args: ARGS })
}

/** A browser to which other processes connect. */
export async function startBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: await findBrowser(), args: ARGS })
}

/** The options of the browser context for one visit. */
export function profileOf({
  url,
  size = 'desktop',
  theme = 'light',
  role = 'superadmin',
}: Visit): BrowserContextOptions {
  const stored = { token: 'token-1', role, user_id: '1' }
  const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }))
  return {
    baseURL: url,
    viewport: sizes[size],
    deviceScaleFactor: size === 'zoomed' ? 2 : 1,
    hasTouch: size === 'phone',
    colorScheme: theme,
    reducedMotion: 'reduce',
    // Requests of a service worker cannot be intercepted.
    serviceWorkers: 'block',
    locale: 'es-ES',
    timezoneId: 'UTC',
    storageState: { cookies: [], origins: role === 'none' ? [] : [{ origin: url, localStorage }] },
  }
}

/** One browser for the tests of a file. Each visit begins with an empty page and storage. */
export function useBrowser(): (t: TestContext, visit: Visit) => Promise<Page> {
  let browser: Browser | undefined
  let pages: UsedPages
  before(async () => {
    const opened = (browser = await openBrowser())
    pages = keepPages((visit) => opened.newContext(profileOf({ ...visit, role: 'none' })))
  })
  after(() => browser?.close())

  return async (t, visit) => {
    const used = await pages.take(visit)
    t.after(async () => {
      await pages.give(used, t.passed)
      assert.deepEqual(used.faults.splice(0), [], 'no script fault and no breach of the policy')
    })
    return used.page
  }
}

/** Shows the page in this language, as if another tab had chosen it. */
export async function changeLanguage(page: Page, language: 'es' | 'en'): Promise<void> {
  await page.evaluate((key) => localStorage.setItem('language', key), language)
  await page.evaluate("dispatchEvent(new StorageEvent('storage', { key: 'language' }))")
}

/** Resolves once the texts have their own fonts, which change widths and heights. */
export async function fontsLoaded(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)')
}

/** The row of a table that has this cell. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })
}

/**
 * Resolves to the text of the clipboard once it is this one. All pages of a run share the clipboard, so a text that
 * another page has overwritten is copied again.
 */
export async function copied(
  page: Page,
  wanted: string | RegExp,
  copy: () => Promise<void>,
): Promise<string> {
  let text = ''
  await eventually(async () => {
    text = await page.evaluate<string>('navigator.clipboard.readText()')
    const isWanted = typeof wanted === 'string' ? text === wanted : wanted.test(text)
    if (!isWanted) await copy()
    assert.ok(isWanted, `the clipboard has ${text}`)
  })
  return text
}

/** Retries the check until it passes; fails with its last error. */
export async function eventually(check: () => Promise<void> | void, withinMs = 20_000): Promise<void> {
  for (const end = Date.now() + withinMs; ;) {
    try {
      return await check()
    } catch (fault) {
      if (Date.now() > end) throw fault
      await new Promise((rested) => setTimeout(rested, 50))
    }
  }
}
