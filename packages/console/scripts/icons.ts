/**
 * Draws the icons of the installed console from `public/favicon.svg`. Run it after a change of the logo:
 * `node packages/console/scripts/icons.ts`.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from '#test/browser.ts'

const PUBLIC = join(import.meta.dirname, '../public')
const GROUND = '#14171a'

/** Systems cut a maskable icon to a shape of their own, which keeps at least the middle 80 %. */
const icons = [
  { file: 'icon-180.png', size: 180, share: 0.86 },
  { file: 'icon-192.png', size: 192, share: 1 },
  { file: 'icon-512.png', size: 512, share: 1 },
  { file: 'icon-maskable-512.png', size: 512, share: 0.72 },
]

const logo = await readFile(join(PUBLIC, 'favicon.svg'), 'utf8')
const browser = await openBrowser()
const page = await browser.newPage()
for (const { file, size, share } of icons) {
  await page.setViewportSize({ width: size, height: size })
  const ground = share < 1 ? GROUND : 'transparent'
  await page.setContent(
    `<style>html{background:${ground}}body{margin:0;height:100vh;display:grid;place-items:center}svg{width:${share * 100}vw}</style>${logo}`,
  )
  await page.screenshot({ path: join(PUBLIC, file), omitBackground: true })
}
await browser.close()
