import type { Page } from 'playwright-core'
import { accountPlaces } from './account-places.ts'
import { alertPlaces } from './alert-places.ts'
import { draftPlaces } from './draft-places.ts'
import { peoplePlaces } from './people-places.ts'
import { routePlaces } from './route-places.ts'
import { staffPlaces } from './staff-places.ts'
import { statePlaces } from './state-places.ts'

/** Each screen and dialog, and how to open it. */
export const places: Record<string, (page: Page) => Promise<unknown>> = {
  login: (page) => page.goto('/login'),
  'login, refused': async (page) => {
    await page.goto('/login')
    await page.getByPlaceholder('Username').fill('x')
    await page.getByPlaceholder('Password').fill('x')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.getByRole('alert').waitFor()
  },
  dashboard: async (page) => {
    await page.goto('/dashboard')
    await page.getByRole('region', { name: 'Por dispositivo' }).waitFor()
  },
  'dashboard, hours as a table': async (page) => {
    await page.goto('/dashboard')
    await page.getByText('Ver como tabla').click()
  },
  palette: async (page) => {
    await page.goto('/devices')
    await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('drone-0001')
    await page.getByRole('option', { name: 'Send SMS por drone-0001' }).waitFor()
  },
  devices: async (page) => {
    await page.goto('/devices?open=drone-0002')
    await page.getByText('ops-norte-5g').waitFor()
  },
  'devices, versions of the agents': async (page) => {
    await page.goto('/devices?agent=otro-programa/2&view=agents')
    await page.getByRole('dialog').getByText('The agent restarts modems').waitFor()
  },
  'devices, columns and order': async (page) => {
    await page.goto('/devices?view=open')
    const options = page.getByRole('region', { name: 'Vista de la tabla' })
    await options.getByRole('checkbox').first().waitFor()
    for (const box of await options.getByRole('checkbox').all()) await box.check()
    await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  },
  device: async (page) => {
    await page.goto('/devices/drone-0002')
    await page.getByText('ops-norte-5g').waitFor()
  },
  'device, edit': async (page) => {
    await page.goto('/devices/drone-0002?dialog=edit')
    await page.getByRole('dialog').waitFor()
  },
  'device, USSD': async (page) => {
    await page.goto('/devices/drone-0002?dialog=ussd')
    await page.getByRole('dialog').getByRole('textbox').fill('*100*5#')
  },
  'device, a SIM': async (page) => {
    await page.goto('/devices/drone-0002')
    await page
      .getByRole('region', { name: /^SIM 1/ })
      .getByRole('button', { name: /Editar|Edit/ })
      .click()
    await page.getByRole('dialog').waitFor()
  },
  'device, orders and charts': async (page) => {
    await page.goto('/devices/drone-0002?span=24h')
    const orders = page.getByRole('region', { name: 'Órdenes' }).locator('summary')
    await orders.first().waitFor()
    for (const order of await orders.all()) await order.click()
    await page.getByRole('figure').first().waitFor()
  },
  'device, maintenance': async (page) => {
    await page.goto('/devices/drone-0012')
    await page.getByRole('button', { name: 'Terminar mantenimiento' }).waitFor()
    await page.getByRole('button', { name: 'Mantenimiento…' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'device, unlink': async (page) => {
    await page.goto('/devices/drone-0002?dialog=unlink')
    await page.getByRole('dialog').waitFor()
  },
  'device, secret': async (page) => {
    await page.goto('/devices/drone-0002?dialog=secret')
    await page.getByRole('dialog').waitFor()
  },
  'devices, selecting': async (page) => {
    await page.goto('/devices')
    await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
    const bar = page.getByRole('region', { name: 'Selección' })
    // Its file is loaded now. On a phone it may be drawn under the pressed pointer.
    await bar.waitFor()
    await page.getByRole('checkbox', { name: 'Seleccionar drone-0002', exact: true }).click()
    await bar.getByText('1 seleccionado').waitFor()
  },
  'devices, tags of several': async (page) => {
    await page.goto('/devices')
    await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
    await page.keyboard.press('*')
    await page.getByRole('button', { name: 'Etiquetas…' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Añadir' }).fill('any')
    await page.getByRole('button', { name: 'Aplicar' }).click()
    await page.getByText('«any» no vale').waitFor()
  },
  'devices, limit of several': async (page) => {
    await page.goto('/devices')
    await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
    await page.keyboard.press('*')
    await page.getByRole('button', { name: 'Límite diario…' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'devices, send form': async (page) => {
    await page.goto('/devices?send=drone-0001')
    await page.getByRole('dialog').waitFor()
  },
  'send, result': async (page) => {
    await page.goto('/devices?send=drone-0001')
    await page.getByPlaceholder('+34...').fill('600111222')
    await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  },
  sms: async (page) => {
    await page.goto('/sms')
    await page.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' })
  },
  'sms, devices and last messages': async (page) => {
    await page.addInitScript(() => {
      const guids = ['1d83e922-7c1e-4f0a-9b52-000000000450']
      sessionStorage.setItem('draft 1 sent', JSON.stringify(guids))
    })
    await page.goto('/sms')
    await page.getByRole('button', { name: /^Buscar dispositivo/ }).click()
    await page.getByRole('dialog').getByRole('option').first().waitFor()
  },
  conversations: async (page) => {
    await page.goto('/conversations')
    await page.getByText('¿Puedo pagar con tarjeta en recepción?').waitFor()
  },
  conversation: async (page) => {
    await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
    await page.getByText('Espera a drone-0005').waitFor()
    await page.getByRole('textbox', { name: 'Mensaje' }).fill('Aquí le esperamos')
  },
  logs: async (page) => {
    await page.goto('/logs')
    await page.getByRole('button', { name: '450' }).waitFor()
  },
  'logs, columns and views': async (page) => {
    await page.goto('/logs')
    await page.getByRole('button', { name: '450' }).waitFor()
    await page.getByRole('button', { name: 'Columnas y vistas guardadas' }).click()
    await page.getByRole('textbox', { name: 'Nombre' }).fill('drone-0001')
    await page.getByRole('button', { name: 'Guardar esta vista' }).click()
    await page.getByRole('link', { name: 'drone-0001' }).waitFor()
  },
  'logs, filters and details': async (page) => {
    await page.goto('/logs?errors=true')
    await page.getByRole('button', { name: 'Filtros', exact: true }).click()
    await page.getByRole('row').nth(2).click()
    await page.getByText('queue_timestamp').waitFor()
  },
  ...staffPlaces,
  ...peoplePlaces,
  ...alertPlaces,
  ...routePlaces,
  ...draftPlaces,
  ...accountPlaces,
  ...statePlaces,
  'menu, shortcuts': async (page) => {
    await page.goto('/dashboard')
    await page.getByText('En vivo').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
}
