import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, openBrowser, useBrowser } from '../packages/console/test/browser.ts'
import { openStandIn } from '../packages/console/test/stand-in.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { type Planted, plantHostileTexts } from './hostile-texts.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess } from './server-process.ts'
import { logIn } from './visiting.ts'

/**
 * The console of the real server, with texts that would be markup if anything failed to escape them. Every screen shows
 * them as text, none runs, and the server's policy has nothing to report.
 */

let folder: string
let server: ServerProcess
let planted: Planted
const visit = useBrowser()

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-hostile-'))
  const settings = await newSettings(folder, { LOG_LEVEL: 'warn', CALLBACK_ADDRESSES: 'any' })
  server = await startProcess(settings)
  const { token } = await enter(server, 'superadmin', PASSWORD)
  planted = await plantHostileTexts(server, settings.DATA_DIR, token)
})
after(async () => {
  await planted.device.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

type Findings = { hits: string[]; violations: string[]; elsewhere: string[] }

/** Records every policy violation, every `hit`, and every request to another origin on this page. */
async function watch(page: Page): Promise<Findings> {
  const findings: Findings = { hits: [], violations: [], elsewhere: [] }
  const context = page.context()
  await context.exposeBinding('hit', ({ page: at }) => void findings.hits.push(at.url()))
  await context.exposeBinding('tellViolation', (_, what: string) => void findings.violations.push(what))
  await context.addInitScript({ content: TELL })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(server.url) && !url.startsWith('data:') && !url.startsWith('blob:'))
      findings.elsewhere.push(url)
  })
  page.on('dialog', (dialog) => {
    findings.hits.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return findings
}

const TELL = `document.addEventListener('securitypolicyviolation', (event) =>
  tellViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.sample].join(' ')))`

/** All text that a user could read or hear on the page: texts, titles and field values. */
const textOf = (page: Page) => page.evaluate<string>(TEXTS)

const TEXTS = `[...document.querySelectorAll('body, body *')].flatMap((element) => [
  element === document.body ? element.textContent : '',
  'value' in element ? String(element.value) : '',
  ...['title', 'aria-label', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
]).join('\\n')`

/** The number of elements that only such a text could have created. */
const made = (page: Page) => page.locator('[onerror], [onclick], img[src="x"]').count()

/** Each screen and dialog, and the sources whose texts it shows. */
const places: [
  path: (planted: Planted) => string,
  shows: string[],
  act?: (page: Page) => Promise<unknown>,
][] = [
  [() => '/dashboard', ['code']],
  [({ uid }) => `/devices?open=${uid}`, ['location', 'agent', 'ssid', 'iccid', 'code', 'network_type_label']],
  [() => '/devices?send=drone-1', []],
  [() => '/devices?link=new', []],
  [() => '/sms', []],
  [() => '/logs', ['message', 'reply', 'code', 'detail']],
  [({ sent }) => `/logs?open=${sent}`, ['message', 'reply']],
  [() => '/logs?errors=true', ['detail', 'sim'], openFirstRow],
  [({ task }) => `/running-tasks?open=${task}`, ['task', 'address']],
  [() => '/users', ['user', 'email', 'company']],
  [({ person }) => `/users?edit=${person}`, ['user', 'email']],
  [() => '/users?edit=new', []],
  [() => '/settings', ['word']],
  [() => '/settings?tab=devices', []],
  [() => '/settings?tab=api-keys', ['key']],
  [() => '/settings?tab=api-keys&open=new', []],
  [() => '/settings?tab=callbacks', ['webhook', 'callback', 'error']],
  [({ callback }) => `/settings?tab=callbacks&open=${callback}`, ['callback', 'error']],
  [() => '/settings?tab=opt-outs', []],
  [() => '/settings?tab=audit', ['user', 'key']],
  [() => '/account', ['browser']],
  [() => '/account?open=enrol', []],
  [() => '/devices?link=new', [], (page) => page.getByRole('button', { name: 'Crear código' }).click()],
  [() => '/devices', ['location'], openPalette],
  [() => '/nowhere/at/all', []],
]

async function openPalette(page: Page): Promise<void> {
  await page.getByText('En vivo').waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('drone')
  await page.getByRole('option', { name: 'Send SMS por drone-1' }).waitFor()
}

async function openFirstRow(page: Page): Promise<void> {
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Abrir mensaje/ }) })
  await rows.first().click()
}

test('on every screen a hostile text stays text: nothing in it runs, and the policy has nothing to report', async (t) => {
  const page = await visit(t, { url: server.url, role: 'none' })
  const findings = await watch(page)
  await logIn(page)
  await page.evaluate((session) => {
    for (const [name, value] of Object.entries(session)) localStorage.setItem(name, value)
  }, planted.session)
  const seen = new Set<string>()
  for (const [path, shows, act] of places) {
    const at = path(planted)
    await page.goto(at)
    await page.locator('h1, form').first().waitFor()
    await act?.(page)
    await eventually(async () => {
      const text = await textOf(page)
      for (const [source, shown] of Object.entries(planted.shown)) if (text.includes(shown)) seen.add(source)
      const missing = shows.filter((source) => !text.includes(planted.shown[source]!))
      assert.deepEqual(missing, [], `${at} shows these`)
    })
    assert.equal(await made(page), 0, at)
  }
  assert.deepEqual(
    Object.keys(planted.shown).filter((source) => !seen.has(source)),
    [],
    'not seen on any screen',
  )
  assert.deepEqual(findings, { hits: [], violations: [], elsewhere: [] })
})

test('a hostile text that arrives while the screen is open stays text too', async (t) => {
  const page = await visit(t, { url: server.url, role: 'none' })
  const findings = await watch(page)
  await logIn(page)
  await page.goto('/devices?open=drone-1')
  await page.getByText(planted.shown.ssid!).first().waitFor()
  const says = '<script>hit()</script><svg onload=hit()> live'
  await planted.device.publish('networks', { wifi: { ssid: says }, radio: { ready: false, says } })
  await page.getByText(says).first().waitFor()
  assert.equal(await page.locator('svg[onload]').count(), 0)
  assert.deepEqual(findings, { hits: [], violations: [], elsewhere: [] })
})

test('the policy blocks the attacks it is meant to block', async (t) => {
  // A separate browser: in the tests' shared one, a breach of the policy counts as a fault.
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage({ baseURL: server.url })
  const findings = await watch(page)
  await page.goto('/login')
  const stopped: string[] = []
  for (const attempt of [
    `document.body.setAttribute('onclick', 'hit()')`,
    `document.body.innerHTML = '<b>x</b>'`,
    `trustedTypes.createPolicy('x', {})`,
  ])
    await page.evaluate(attempt).catch((error: Error) => stopped.push(error.message))
  assert.equal(stopped.length, 3, stopped.join('\n'))
  await page.evaluate(`
    const image = document.createElement('img')
    image.src = 'https://elsewhere.example/x.png'
    const style = document.createElement('style')
    style.textContent = 'body { color: red }'
    document.body.append(image, style)`)
  await eventually(() => {
    const directives = findings.violations.map((what) => what.split(' ')[0])
    for (const directive of ['require-trusted-types-for', 'trusted-types', 'img-src', 'style-src-elem'])
      assert.ok(directives.includes(directive), `${directive} in ${findings.violations.join('\n')}`)
  })
  assert.deepEqual(findings.hits, [])
})

test('the page has no inline script or style, and the console’s tests run under the same policy', async () => {
  const page = await fetch(`${server.url}/login`)
  const html = await page.text()
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:|https?:\/\//i)
  for (const [, attributes, text] of html.matchAll(/<script([^>]*)>([^<]*)/g)) {
    assert.match(attributes!, /\ssrc="\/[\w/.-]+"/)
    assert.equal(text, '')
  }
  const standIn = await openStandIn({})
  const { headers } = await fetch(`${standIn.url}/login`)
  await standIn.stop()
  assert.equal(page.headers.get('content-security-policy'), headers.get('content-security-policy'))
})
