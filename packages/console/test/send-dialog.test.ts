import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { sendsOf } from './send-form.ts'

const open = useBrowser()
const server = await useExampleServer()

test('the send form of a device sends through that device, and closes after its result', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const opener = page
    .getByRole('row')
    .filter({ hasText: 'drone-0002' })
    .getByRole('button', { name: 'Send SMS' })
  await opener.click()
  await page.waitForURL('**/devices?send=drone-0002')
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  assert.equal(await form.getByRole('combobox').count(), 0)
  await form.getByPlaceholder('+34...').fill('600111222')
  await form.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  const result = page.getByRole('dialog', { name: 'Envío correcto' })
  await result.waitFor()
  await result.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  assert.equal(JSON.parse(sendsOf(server)[0]?.body ?? '').device_uid, 'drone-0002')
  await eventually(async () =>
    assert.equal(
      await opener.evaluate((button) => button === document.activeElement),
      true,
      'the focus is back',
    ),
  )
})

test('a refusal closes the form with its result, and the text is kept only for the same device', async (t) => {
  server.answers['POST /api/device-send-sms'] = { status: 422, body: { status: 'No such number' } }
  const page = await open(t, { url: server.url })
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  const openForm = (uid: string) =>
    page.getByRole('row').filter({ hasText: uid }).getByRole('button', { name: 'Send SMS' }).click()
  const written = async () => [
    await form.getByPlaceholder('+34...').inputValue(),
    await form.getByRole('textbox', { name: 'Mensaje' }).inputValue(),
  ]
  await page.goto('/devices')
  await openForm('drone-0002')
  await form.getByPlaceholder('+34...').fill('60')
  await form.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Error' }).getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  await openForm('drone-0001')
  assert.deepEqual(await written(), ['', ''])
  await form.locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await openForm('drone-0002')
  assert.deepEqual(await written(), ['60', 'Hola'])
  server.answers['POST /api/device-send-sms'] = { body: {} }
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByRole('button', { name: 'Cerrar' }).click()
  await openForm('drone-0002')
  assert.deepEqual(await written(), ['', ''])
})

for (const way of ['Cancelar', 'Escape', 'Back']) {
  test(`${way} closes the devices' send form without sending, and returns the focus`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto('/devices')
    const opener = page
      .getByRole('row')
      .filter({ hasText: 'drone-0002' })
      .getByRole('button', { name: 'Send SMS' })
    await opener.click()
    const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
    await form.locator(':focus').waitFor()
    if (way === 'Cancelar') await form.getByRole('button', { name: 'Cancelar' }).click()
    else if (way === 'Escape') await page.keyboard.press('Escape')
    else await page.goBack()
    await form.waitFor({ state: 'detached' })
    await eventually(async () =>
      assert.equal(await opener.evaluate((button) => button === document.activeElement), true),
    )
    assert.deepEqual(sendsOf(server), [])
  })
}

test('a modal keeps the focus', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?send=drone-0001')
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  await form.locator(':focus').waitFor()
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Tab']) {
    await page.keyboard.press(key)
    assert.equal(await form.evaluate((dialog) => dialog.contains(document.activeElement)), true)
  }
})
