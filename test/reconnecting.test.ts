import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectBrowser } from '../packages/server/test/browser.ts'
import { startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'

const DEVICES = 1_000

/** Even a busy machine needs only a tenth of this. */
const WITHIN_MS = 60_000

test('a thousand devices that lose their server at once are all back soon, and users are served meanwhile', async (t) => {
  const installation = await startInstallation({
    devices: DEVICES,
    behaviour: { reconnect_ms: [1_000, 5_000] },
  })
  const { fleet, url, api } = installation
  const login = new URLSearchParams({ username: 'superadmin', password: PASSWORD })
  const connected = async () => {
    const { body } = await api<{ devices: { status: string }[] }>('/api/device-list')
    return body.devices.filter(({ status }) => status === 'connected').length
  }
  assert.equal(await connected(), DEVICES)

  await installation.server.kill()
  while (fleet.stats().connected > 0) await wait(10)
  await installation.restart()
  const began = performance.now()
  const { access_token } = (await (
    await fetch(`${url}/api/login`, { method: 'POST', body: login })
  ).json()) as {
    access_token: string
  }
  const browser = await connectBrowser({ url }, access_token)
  const live_ms = performance.now() - began
  let worst_ms = 0
  let answered = 0
  while (fleet.stats().connected < DEVICES) {
    const asked = performance.now()
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    worst_ms = Math.max(worst_ms, performance.now() - asked)
    answered++
    assert.ok(asked - began < WITHIN_MS, `${fleet.stats().connected} are back`)
    await wait(10)
  }
  const took_ms = performance.now() - began
  assert.equal(await connected(), DEVICES)
  assert.ok(browser.statuses.length > 0, 'the browser heard of some')
  t.diagnostic(
    `all ${DEVICES} back after ${Math.round(took_ms)} ms; a browser was live after ${Math.round(live_ms)} ms; ` +
      `${answered} requests meanwhile took ${Math.round(worst_ms)} ms at most`,
  )
  await browser.stop()
  assert.equal(await installation.stop(), 0)
})
