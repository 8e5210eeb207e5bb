import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isProgram } from './debian.ts'
import { run, runInstalled } from './run.ts'

/** The headless shell first: it has no window, and a test takes a quarter less processor time. */
const SHELL = 'chromium-headless-shell'
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe']
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
]
const INSTALL_WITHIN_MS = 10 * 60_000

/**
 * The path of a Chromium: from CHROME_PATH, the machine, or Playwright. If there is none, Playwright installs it, or
 * apt if run as root on Debian. If that fails too, throws an error that says what to do.
 */
export async function findBrowser(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const named = env['CHROME_PATH']
  if (named) {
    if (isProgram(named)) return named
    throw new Error(`CHROME_PATH names ${named}, which is not a program: set it to a Chromium, or unset it`)
  }
  return (await browserHere(env)) ?? (await installBrowser(env))
}

async function browserHere(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter)
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  const own = [...onPath, ...APPLICATIONS].find(isProgram)
  if (own !== undefined) return own
  const { chromium } = await import('playwright-core')
  const cached = chromium.executablePath()
  return isProgram(cached) ? cached : undefined
}

async function installBrowser(env: NodeJS.ProcessEnv): Promise<string> {
  console.log('The browser tests need a Chromium and there is none: installing one.')
  for (const install of [withPlaywright, withApt]) {
    await install()
    const browser = await browserHere(env)
    if (browser !== undefined) return browser
  }
  throw new Error(
    'No Chromium for the browser tests. Install one (Debian: apt-get install chromium) or set CHROME_PATH to one.',
  )
}

async function withPlaywright(): Promise<void> {
  await runInstalled('playwright-core/cli.js', ['install', 'chromium'], {
    env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' },
    timeout_ms: INSTALL_WITHIN_MS,
  })
}

async function withApt(): Promise<void> {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, timeout_ms: INSTALL_WITHIN_MS }
  await run('apt-get', ['update', '-q'], options)
  const install = (name: string) =>
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], options)
  if ((await install(SHELL)) !== 0) await install('chromium')
}
