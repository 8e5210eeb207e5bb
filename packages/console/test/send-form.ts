import type { Page } from 'playwright-core'
import type { ExampleServer } from './example-server.ts'

/** The requests that would send. */
export function sendsOf({ asked }: ExampleServer) {
  return asked.filter(({ path }) => path === '/api/device-send-sms')
}

export async function fillSms(page: Page): Promise<void> {
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByPlaceholder('+34...').fill('+34600111222')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
}
