import type { Page } from 'playwright-core'

/** Screens in rare states, and how to open each. */
export const statePlaces: Record<string, (page: Page) => Promise<unknown>> = {
  'send, several numbers': async (page) => {
    await page.goto('/sms')
    await page.getByRole('button', { name: 'Varios números' }).click()
    await page.getByRole('textbox', { name: 'Teléfonos' }).fill('+34600111222, hola')
    await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
    await page.getByText('No son números: hola').waitFor()
  },
  'menu, open': async (page) => {
    await page.goto('/sms')
    const toggle = page.getByRole('button', { name: 'Menu', exact: true })
    await toggle.waitFor()
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    await page.getByRole('link', { name: 'Settings', exact: true }).waitFor()
  },
  'sending off': async (page) => {
    const settings = {
      id: 11,
      spoof_time_secs: 0,
      send_enabled: false,
      sending_changed_at: '2026-11-20T21:57:03.000Z',
      sending_changed_by: 'Ana Ruiz',
    }
    await page.route('**/api/global-settings', (route) => route.fulfill({ json: { settings: [settings] } }))
    await page.goto('/users')
    await page.getByText('Envío desactivado').waitFor()
  },
  'sending, about to stop': async (page) => {
    await page.goto('/users')
    await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('parar')
    await page.getByRole('option', { name: 'Parar el envío' }).click()
    await page.getByRole('dialog', { name: '¿Parar el envío?' }).waitFor()
  },
  'devices, not loaded': async (page) => {
    await page.route('**/api/device-list', (route) => route.abort())
    await page.goto('/devices')
    await page.getByRole('alert').waitFor()
  },
  'devices, networks not loaded': async (page) => {
    await page.route('**/networks', (route) => route.abort())
    await page.goto('/devices?open=drone-0001')
    await page.getByRole('alert').waitFor()
  },
  'devices, a toggle refused': async (page) => {
    await page.route('**/api/disable-device/*', (route) => route.abort())
    await page.goto('/devices')
    await page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true }).click()
    await page.getByText('No se pudo deshabilitar drone-0001').waitFor()
  },
  'send, refused': async (page) => {
    await page.route('**/api/device-send-sms', (route) => route.fulfill({ status: 409, body: '' }))
    await page.goto('/sms')
    await page.getByRole('combobox').selectOption('drone-0001')
    await page.getByPlaceholder('+34...').fill('600111222')
    await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('dialog', { name: 'Error' }).waitFor()
  },
  'send, no device': async (page) => {
    await page.route('**/api/device-list', (route) => route.fulfill({ json: [] }))
    await page.goto('/sms')
    await page.getByText('Ahora no hay dispositivos conectados.').waitFor()
  },
  'logs, exporting': async (page) => {
    await page.route('**/api/logs/devices.csv*', () => {})
    await page.goto('/logs')
    await page.getByRole('button', { name: 'CSV' }).click()
    await page.getByRole('button', { name: 'Cancelar la descarga' }).waitFor()
  },
  'logs, export failed': async (page) => {
    await page.route('**/api/logs/devices.csv*', (route) => route.abort())
    await page.goto('/logs')
    await page.getByRole('button', { name: 'CSV' }).click()
    await page.getByText('La descarga del CSV no terminó').waitFor()
  },
  'logs, none': async (page) => {
    await page.route('**/api/logs/devices?*', (route) => route.fulfill({ json: [] }))
    await page.goto('/logs')
    await page.getByText('Todavía no hay mensajes.').waitFor()
  },
  'logs, not loaded': async (page) => {
    await page.route('**/api/logs/devices?*', (route) => route.abort())
    await page.goto('/logs')
    await page.getByRole('alert').waitFor()
  },
  'conversations, none': async (page) => {
    await page.route('**/api/conversations?*', (route) =>
      route.fulfill({ json: { conversations: [], next_cursor: null } }),
    )
    await page.goto('/conversations')
    await page.getByText('Nadie ha escrito todavía.').waitFor()
  },
  'conversations, not loaded': async (page) => {
    await page.route('**/api/conversations?*', (route) => route.abort())
    await page.goto('/conversations')
    await page.getByRole('alert').waitFor()
  },
  'tasks, none': async (page) => {
    await page.route('**/api/external-tasks?*', (route) => route.fulfill({ json: [] }))
    await page.goto('/running-tasks')
    await page.getByText('Sin tareas').waitFor()
  },
  'task details, not loaded': async (page) => {
    await page.route('**/api/logs/queue/guid/*', (route) => route.abort())
    await page.goto('/running-tasks?open=task-000700')
    await page.getByText('Error al cargar datos').waitFor()
  },
  'settings, not loaded': async (page) => {
    await page.route('**/api/global-settings', (route) => route.abort())
    await page.goto('/settings')
    await page.getByRole('alert').waitFor()
  },
  'linking, expired': async (page) => {
    await page.clock.install()
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).click()
    await page.getByRole('img', { name: /^Código QR/ }).waitFor()
    await page.clock.fastForward('10:01')
    await page.getByText('El código ha caducado.').waitFor()
  },
  'a screen that could not be shown': async (page) => {
    await page.route('**/assets/users-page-*.js', (route) => route.abort())
    await page.goto('/users')
    await page.getByText('No se pudo mostrar esta pantalla.').waitFor()
  },
}
