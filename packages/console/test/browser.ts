import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { findBrowser } from '../../../scripts/browser.ts'

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

type Visit = {
  url: string
  size?: keyof typeof sizes
  theme?: 'light' | 'dark'
  /** Signed in with this role; `none`: not signed in. */
  role?: 'user' | 'admin' | 'superadmin' | 'none'
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findBrowser(), args: ARGS })
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
    locale: 'es-ES',
    timezoneId: 'UTC',
    storageState: { cookies: [], origins: role === 'none' ? [] : [{ origin: url, localStorage }] },
  }
}

/** One browser for the tests of a file. Each visit has its own context. */
export function useBrowser(): (t: TestContext, visit: Visit) => Promise<Page> {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  return async (t, visit) => {
    const context = await browser.newContext(profileOf(visit))
    const faults: string[] = []
    context.on('weberror', (fault) => faults.push(fault.error().message))
    context.on('console', (message) => {
      if (/content security policy|trusted ?types|trustedhtml/i.test(message.text()))
        faults.push(message.text())
    })
    t.after(async () => {
      await context.close()
      assert.deepEqual(faults, [], 'no script fault and no breach of the policy')
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    return page
  }
}

/** Shows the page in this language, as if another tab had chosen it. */
export async function changeLanguage(page: Page, language: 'es' | 'en'): Promise<void> {
  await page.evaluate((key) => localStorage.setItem('language', key), language)
  await page.evaluate("dispatchEvent(new StorageEvent('storage', { key: 'language' }))")
}

/** The row of a table that has this cell. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })
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
