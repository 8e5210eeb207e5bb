import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { sizes } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { useVisits } from './visiting.ts'

let installation: Installation
const { stranger } = useVisits(() => installation)

before(async () => {
  installation = await startInstallation({ devices: 1, behaviour: {} })
})
after(() => installation.stop())

for (const [size, colorScheme] of [
  ['desktop', 'light'],
  ['phone', 'dark'],
] as const) {
  test(`the reference can be read by everybody, at ${size} size and in ${colorScheme} colours`, async (t) => {
    const page = await stranger(t)
    await page.setViewportSize(sizes[size])
    await page.emulateMedia({ colorScheme })
    await page.goto('/docs#postExternalTasks')
    const article = page.locator('#postExternalTasks')
    await article.getByText('Body').click()
    assert.ok(await article.getByText('to_number').last().isVisible())
    const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await page.evaluate(beyond), 0)
    await page.evaluate(axe.source)
    const findings = 'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id }) => id))'
    assert.deepEqual(await page.evaluate(findings), [])
  })
}
