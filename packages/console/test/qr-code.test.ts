import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import decodeQr from 'qr/decode.js'
import { sizes, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

/** What a camera in front of the screen would see: pixels of four bytes each. */
async function photograph(page: Page): Promise<{ width: number; height: number; data: Uint8Array }> {
  const png = (await page.screenshot()).toString('base64')
  // A separate page, since the console's policy does not allow reading images.
  const darkroom = await page.context().newPage()
  const { width, height, pixels } = await darkroom.evaluate(async (bytes) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob())
    const canvas = new OffscreenCanvas(picture.width, picture.height)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.drawImage(picture, 0, 0)
    const { data } = context.getImageData(0, 0, picture.width, picture.height)
    let text = ''
    for (let at = 0; at < data.length; at += 8_192)
      text += String.fromCharCode(...data.subarray(at, at + 8_192))
    return { width: picture.width, height: picture.height, pixels: btoa(text) }
  }, png)
  await darkroom.close()
  return { width, height, data: new Uint8Array(Buffer.from(pixels, 'base64')) }
}

for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
  for (const theme of ['light', 'dark'] as const) {
    test(`a scanner reads the command that links a device from the screen (${theme}, ${size})`, async (t) => {
      const page = await open(t, { url: server.url, size, theme })
      await page.goto('/devices?link=new')
      const dialog = page.getByRole('dialog', { name: 'Link device' })
      await dialog.getByRole('button', { name: 'Crear código' }).click()
      await dialog.getByRole('img', { name: 'Código QR con la orden para el dispositivo' }).waitFor()
      const shown = await dialog.getByRole('listitem').locator('code').nth(1).innerText()
      assert.match(shown, /^sdd-agent link --server http:\/\/127\.0\.0\.1:\d+ --code ABCDE-FGHJK$/)
      assert.equal(decodeQr(await photograph(page), { timeLimit: 10_000 }), shown)
    })
  }
}
