import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import test, { after } from 'node:test'
import { findBrowser } from './browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'browser-'))
after(() => rmSync(folder, { recursive: true }))

function program(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, '')
  chmodSync(path, 0o755)
  return path
}

const chromium = program('chromium')

test("the browser is the machine's Chromium, anywhere on the PATH", async () => {
  assert.equal(await findBrowser({ PATH: ['/nowhere', folder].join(delimiter) }), chromium)
})

test('a headless shell is preferred, wherever on the PATH it is', async () => {
  const later = join(folder, 'later')
  mkdirSync(later)
  const shell = program('later/chromium-headless-shell')
  assert.equal(await findBrowser({ PATH: [folder, later].join(delimiter) }), shell)
})

test('CHROME_PATH takes precedence over it', async () => {
  const other = program('my-chromium')
  assert.equal(await findBrowser({ PATH: folder, CHROME_PATH: other }), other)
})

test('a CHROME_PATH that is not a program is refused by name', async () => {
  const search = findBrowser({ PATH: folder, CHROME_PATH: '/nowhere/chromium' })
  await assert.rejects(search, /CHROME_PATH names \/nowhere\/chromium/)
})
