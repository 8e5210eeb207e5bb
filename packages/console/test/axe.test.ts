import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeFindings } from './axe.ts'
import { useBrowser } from './browser.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

const open = useBrowser()
let server: StandIn

before(async () => {
  server = await openStandIn({})
})
after(() => server.stop())

/** The number of texts with too little contrast. */
async function faintOf(page: Page, html: string, known?: Set<string>): Promise<number> {
  await page.setContent(`<html lang="en"><title>x</title><main><h1>x</h1>${html}</main></html>`)
  const findings = await axeFindings(page, known ? { about: 'colours', known } : { about: 'colours' })
  return findings.filter((finding) => finding.startsWith('color-contrast')).length
}

test('a faint text is found once for its look, on each ground and layer of its own', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('about:blank')
  const faint = '<p style="color: #ccc">faint</p>'
  const rows = `${faint}${faint}<p>clear</p>`
  assert.equal(await faintOf(page, rows), 2)
  const known = new Set<string>()
  assert.equal(await faintOf(page, rows, known), 1)
  assert.equal(await faintOf(page, rows, known), 0)
  assert.equal(await faintOf(page, `<div style="background: #ddd">${faint}</div>`, known), 1)
  assert.equal(await faintOf(page, '<p style="color: #ccc; font-size: 13px">faint</p>', known), 1)
  assert.equal(await faintOf(page, '<div style="opacity: 0.4"><p>clear</p></div>', known), 1)
  assert.equal(await faintOf(page, '<p style="color: #cdcdcd">faint</p>', known), 1)
  assert.equal(await faintOf(page, '<input aria-label="x" value="faint" style="color: #ccc">', known), 1)
})
