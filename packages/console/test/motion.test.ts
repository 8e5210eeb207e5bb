import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { places } from './places.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

/** Every animation of an element or its pseudo-elements: its name, and its duration in ms. */
function motions(page: Page): Promise<{ name: string; lasts_ms: number; loops: boolean }[]> {
  return page.evaluate(() => {
    const ms = (list: string) =>
      Math.max(...list.split(',').map((one) => parseFloat(one) * (one.trim().endsWith('ms') ? 1 : 1000)))
    return [...document.querySelectorAll('*')].flatMap((element) =>
      [undefined, '::before', '::after'].flatMap((part) => {
        const style = getComputedStyle(element, part)
        const found = []
        if (style.animationName !== 'none')
          found.push({
            name: style.animationName,
            lasts_ms: ms(style.animationDuration),
            loops: style.animationIterationCount === 'infinite',
          })
        if (ms(style.transitionDuration) > 0)
          found.push({ name: 'transition', lasts_ms: ms(style.transitionDuration), loops: false })
        return found
      }),
    )
  })
}

const WALK = [
  'login',
  'dashboard',
  'devices',
  'devices, send form',
  'palette',
  'logs',
  'task details',
  'linking, code',
]

for (const size of ['desktop', 'phone'] as const) {
  test(`a user who prefers reduced motion sees none, on a ${size}`, async (t) => {
    const page = await open(t, { url: server.url, size })
    for (const place of WALK) {
      await places[place]!(page)
      assert.deepEqual(await motions(page), [], place)
      assert.equal(await page.evaluate(() => document.getAnimations().length), 0, place)
    }
  })
}

test('for other users a transition ends within 150 ms, and only the live indicator keeps moving', async (t) => {
  const page = await open(t, { url: server.url })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  for (const place of WALK) {
    await places[place]!(page)
    const found = await motions(page)
    const slow = found.filter(({ name, lasts_ms }) => name === 'transition' && lasts_ms > 150)
    assert.deepEqual(slow, [], place)
    const looping = new Set(found.filter(({ loops }) => loops).map(({ name }) => name))
    looping.delete('ping')
    assert.deepEqual([...looping], [], place)
  }
})

test('a changed row flashes once, and not at all for users who prefer reduced motion', async (t) => {
  const page = await open(t, { url: server.url })
  const { devices } = server
  const flashed = page.locator('tr[data-flashed]')
  const loads = () => server.asked.filter(({ path }) => path === '/api/device-list').length
  for (const [reducedMotion, wanted] of [
    ['no-preference', 1],
    ['reduce', 0],
  ] as const) {
    server.devices = devices
    const goLive = server.holdLive()
    t.after(goLive)
    await page.emulateMedia({ reducedMotion })
    await page.goto('/devices')
    await page.evaluate(markFlashes)
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: 'drone-0001', exact: true }) })
    await row.getByText('connected', { exact: true }).waitFor()
    // A list that is loaded after the change would show it without a flash.
    const before = loads()
    goLive()
    await eventually(() => assert.ok(loads() > before))
    await eventually(() => assert.equal(server.listeners(), 1))
    server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
    await row.getByText('disconnected').waitFor()
    if (wanted > 0) await flashed.first().waitFor()
    else await page.evaluate(fourFrames)
    assert.equal(await flashed.count(), wanted, reducedMotion)
  }
})

/** Marks each row that flashes, as a slow machine would look for the flash when it is over. */
function markFlashes(): void {
  document.addEventListener('animationstart', ({ animationName, target }) => {
    if (animationName.startsWith('row-flash')) (target as Element).setAttribute('data-flashed', '')
  })
}

/** Within these, an animation would have started. */
async function fourFrames(): Promise<void> {
  for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
}
