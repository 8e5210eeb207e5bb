import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { openBrowser, profileOf, sizes } from '../packages/console/test/browser.ts'
import { prove } from '../scripts/session.ts'
import { PASSWORD } from './server-process.ts'

export type Visits = {
  /** A page of this user, at this path if given. The tests of a file share the user's session, so none may end it. */
  visit(t: TestContext, path?: string, username?: string): Promise<Page>
  /** A page in a separate profile without a session. */
  stranger(t: TestContext): Promise<Page>
}

type Profile = { context: BrowserContext; faults: string[]; idle: Page[] }

/**
 * One browser for the tests of a file. Each user logs in once and keeps a profile with its pages, so that only the
 * first visit hashes a password and compiles the console. Those are most of a short test's time.
 */
export function useVisits(server: () => { url: string }): Visits {
  let browser: Browser
  const profiles = new Map<string, Promise<Profile>>()
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  async function openProfile(): Promise<Profile> {
    const context = await browser.newContext(profileOf({ url: server().url, role: 'none' }))
    context.setDefaultTimeout(30_000)
    const faults: string[] = []
    context.on('weberror', (fault) => faults.push(fault.error().message))
    context.on('console', (message) => {
      if (/content security policy|trusted ?types|trustedhtml/i.test(message.text()))
        faults.push(message.text())
    })
    return { context, faults, idle: [] }
  }

  async function logInOnce(username: string): Promise<Profile> {
    const profile = await openProfile()
    profile.idle.push(await logIn(await profile.context.newPage(), username))
    return profile
  }

  /** The next visit's navigation resets the page, except for the state undone here. */
  async function returnParts({ idle }: Profile, page: Page): Promise<void> {
    page.removeAllListeners()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(-1, -1)
    // It fails on about:blank, which has no storage.
    await page.evaluate('sessionStorage.clear()').catch(() => undefined)
    await page.setViewportSize(sizes.desktop)
    await page.goto('about:blank')
    idle.push(page)
  }

  const assertFaultless = ({ faults }: Profile) =>
    assert.deepEqual(faults.splice(0), [], 'no script fault and no breach of the policy')

  return {
    async visit(t, path, username = 'superadmin') {
      const profile = await profiles.getOrInsertComputed(username, logInOnce)
      const page = profile.idle.pop() ?? (await profile.context.newPage())
      t.after(async () => {
        await returnParts(profile, page)
        assertFaultless(profile)
      })
      if (path !== undefined) await page.goto(path)
      return page
    },
    async stranger(t) {
      const profile = await openProfile()
      t.after(async () => {
        await profile.context.close()
        assertFaultless(profile)
      })
      return profile.context.newPage()
    },
  }
}

/** Logs in by the form and waits for the screen that follows. */
export async function logIn(page: Page, username = 'superadmin', password = PASSWORD): Promise<Page> {
  await page.goto('/login')
  await page.getByPlaceholder('Username', { exact: true }).fill(username)
  await page.getByPlaceholder('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'LOG IN', exact: true }).click()
  await page.waitForURL('**/devices')
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES', exact: true }).waitFor()
  return page
}

/** Confirms the user's identity with the password when the console asks for it before granting access. */
export async function proveWhoAsks(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirme que es usted', exact: true })
  await dialog.getByLabel('Contraseña actual', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Confirmar', exact: true }).click()
}

/** Proves the page's session without the console, so that for 5 minutes it does not ask. */
export async function proveSession(page: Page, password = PASSWORD): Promise<void> {
  const token = await page.evaluate(() => localStorage.getItem('token'))
  await prove(new URL(page.url()).origin, token!, { password })
}

/** The row that has a cell with exactly this text. */
export function rowOf(page: Page, cell: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name: cell, exact: true }) })
}

/** The texts of a row's cells, trimmed. */
export async function cellsOf(row: Locator): Promise<string[]> {
  await row.waitFor()
  return (await row.getByRole('cell').allInnerTexts()).map((text) => text.trim())
}

/** Makes this path of the API answer with a server error; the returned function ends that. */
export async function breakCall(page: Page, path: string): Promise<() => Promise<void>> {
  const url = `**${path}`
  await page.route(url, (route) => route.fulfill({ status: 500, body: '' }))
  return () => page.unroute(url)
}
