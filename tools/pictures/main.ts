import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { chooseLanguage } from '../../packages/contract/src/accounts/users.ts'
import { openClient } from '../../packages/contract/src/core/client.ts'
import { readDashboard } from '../../packages/contract/src/insight/dashboard.ts'
import { findBrowser } from '../../scripts/browser.ts'
import { freePort } from '../../scripts/free-port.ts'
import { ROOT } from '../../scripts/run.ts'
import { logIn } from '../../scripts/session.ts'

/**
 * `npm run pictures`: starts a demo of its own, waits until each of its parts has been played, and takes the pictures in
 * docs/images from it, in English and in light colours.
 */
const LOGIN = { username: 'superadmin', password: 'drone-demo' }
const SIZE = { width: 1440, height: 900 }

/** Each picture of the pages: where to go, and what to wait for. */
const pictures: Record<string, (page: Page) => Promise<unknown>> = {
  devices: async (page) => {
    await page.goto('/devices?open=drone-0002')
    await page.getByText('drone-0008').first().waitFor()
    await page.getByText('ICCID').first().waitFor()
  },
  dashboard: async (page) => {
    await page.goto('/dashboard')
    await page.getByRole('region', { name: 'Needs attention' }).waitFor()
  },
  logs: async (page) => {
    // The shop's message to the number that always answers.
    await page.goto(`/logs?open=test-6-${new Date().toISOString().slice(0, 10)}`)
    await page
      .getByRole('complementary', { name: 'Message details' })
      .getByText('447700900006')
      .first()
      .waitFor()
  },
}

const data = mkdtempSync(join(tmpdir(), 'sdd-pictures-'))
const ports = { PORT: await freePort(), MQTT_PORT: await freePort() }
const url = `http://127.0.0.1:${ports.PORT}`
const demo = startDemo()
try {
  await untilPrinted(demo, 'Nothing leaves this machine')
  const client = openClient({ url, token: await logIn(url, LOGIN) })
  await client.call(chooseLanguage, { body: { language: 'en' } })
  await untilSomethingHappened()
  await take()

  /** A message has expired and one is answered: by then each of the demo's parts has been played. */
  async function untilSomethingHappened(): Promise<void> {
    for (;;) {
      const { hours } = await client.call(readDashboard, { query: {} })
      if (['expired', 'replied'].every((state) => hours.some(({ states }) => states[state as 'expired'] > 0)))
        return
      await sleep(500)
    }
  }
} finally {
  demo.kill('SIGTERM')
  if (demo.exitCode === null) await once(demo, 'exit')
  rmSync(data, { recursive: true, force: true })
}

async function take(): Promise<void> {
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox'] })
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZE,
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto('/login')
  await page.locator('input').first().fill(LOGIN.username)
  await page.locator('input[type=password]').fill(LOGIN.password)
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => address.pathname !== '/login')
  for (const [name, open] of Object.entries(pictures)) {
    await open(page)
    await page.getByRole('button', { name: /alert/i }).waitFor()
    await page.evaluate('document.fonts.ready')
    const path = join(ROOT, `docs/images/${name}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    process.stdout.write(`${path}\n`)
  }
  await browser.close()
}

function startDemo(): ChildProcess {
  return spawn(process.execPath, [join(ROOT, 'scripts/demo.ts')], {
    env: { ...process.env, ...ports, DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function untilPrinted(child: ChildProcess, text: string): Promise<void> {
  let printed = ''
  child.stdout!.on('data', (chunk) => (printed += String(chunk)))
  while (!printed.includes(text)) {
    if (child.exitCode !== null) throw new Error(`The demo ended:\n${printed}`)
    await sleep(50)
  }
}
