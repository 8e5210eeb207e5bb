import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from './browser.ts'
import { cutOffFindings } from './cut-off.ts'
import { openStandIn, type StandIn } from './stand-in.ts'

const open = useBrowser()
let server: StandIn

before(async () => {
  server = await openStandIn({})
})
after(() => server.stop())

async function openEmpty(t: TestContext): Promise<Page> {
  const page = await open(t, { url: server.url, size: 'zoomed', role: 'none' })
  await page.goto('about:blank')
  return page
}

const faults: Record<string, [html: string, found: RegExp]> = {
  'a page that scrolls sideways': ['<p style="width: 900px">wide</p>', /^the page is \d+ wide$/],
  'a button outside the window': [
    '<div style="overflow: hidden"><button style="margin-left: 710px">Save</button></div>',
    /^hidden until it has the focus: button “Save”/,
  ],
  'a button under something': [
    '<button>Save</button><div style="position: fixed; inset: 0; background: red">over</div>',
    /^out of reach: button “Save”/,
  ],
  'a button that no scrolling reaches': [
    '<div style="height: 100px; overflow: clip"><p style="height: 200px"></p><button>Save</button></div>',
    /^out of reach: button “Save”/,
  ],
  'a text that is cut': [
    '<p style="width: 80px; overflow: hidden; white-space: nowrap">much longer than that</p>',
    /^cut: p “much longer than that”$/,
  ],
  'a page that scrolls in addition to its content': [
    '<main style="height: 200px; overflow: auto"><p style="height: 900px"></p></main><p style="height: 400px"></p>',
    /^the page itself scrolls too/,
  ],
}

for (const [what, [html, found]] of Object.entries(faults)) {
  test(`${what} is found`, async (t) => {
    const page = await openEmpty(t)
    await page.setContent(`<main>${html}</main>`)
    const findings = await cutOffFindings(page)
    assert.ok(
      findings.some((finding) => found.test(finding)),
      findings.join('\n'),
    )
  })
}

test('scrolling content, tables, and an ellipsis with the full text as its title are not findings', async (t) => {
  const page = await openEmpty(t)
  await page.setContent(`<main style="height: 300px; overflow: auto">
    <div style="overflow-x: auto"><table role="table"><tr><td style="min-width: 2000px">wide</td></tr></table></div>
    <p style="height: 900px"></p>
    <p title="whole" style="width: 60px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap">a long text</p>
    <button>Save</button></main>`)
  assert.deepEqual(await cutOffFindings(page), [])
})
