import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

const PATHS = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export type Browser = BrowserContext & { end(): Promise<void> }

/** The system's Chromium or Chrome with a profile of its own, which goes with it. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<Browser> {
  const executablePath = PATHS.find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('no Chromium or Chrome found: set CHROME_PATH')
  const profile = await mkdtemp(join(tmpdir(), 'console-browser-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: ARGS, ...options })
  return Object.assign(context, {
    async end() {
      await context.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  })
}
