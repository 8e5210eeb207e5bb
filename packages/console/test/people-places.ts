import type { Page } from 'playwright-core'
import { exampleLog } from './examples.ts'

/** The screens and dialogs of contacts, templates and keywords, and how to open each. */
export const peoplePlaces: Record<string, (page: Page) => Promise<unknown>> = {
  contacts: async (page) => {
    await page.goto('/contacts')
    await page.getByRole('button', { name: 'Abrir +34600111222' }).waitFor()
    await page.getByRole('combobox', { name: 'Lista', exact: true }).waitFor()
  },
  contact: async (page) => {
    await page.goto('/contacts?open=%2B34600111222')
    await page.getByRole('dialog', { name: '+34600111222' }).getByText('formulario web').waitFor()
  },
  'contact, opted out and refused': async (page) => {
    await page.goto('/contacts?open=%2B34600111333')
    const form = page.getByRole('dialog', { name: '+34600111333' })
    await form.getByText('Está de baja').waitFor()
    await form.getByLabel('Anotar que lo dio').check()
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Escriba cómo lo dio').waitFor()
  },
  'contact, about to be deleted': async (page) => {
    await page.goto('/contacts?open=%2B34600111222')
    await page.getByRole('button', { name: 'Borrar' }).click()
    await page.getByText('¿Borrar el contacto').waitFor()
  },
  'contact, new': async (page) => {
    await page.goto('/contacts?open=new')
    await page.getByRole('button', { name: 'Añadir campo' }).click()
    await page.getByRole('button', { name: 'Guardar' }).click()
    await page.getByText('Escriba el número.').waitFor()
  },
  templates: async (page) => {
    await page.goto('/contacts?tab=templates')
    await page.getByRole('button', { name: 'Cambiar Confirmar cita' }).waitFor()
  },
  'template, refused': async (page) => {
    await page.goto('/contacts?tab=templates&open=new')
    const form = page.getByRole('dialog', { name: 'Nueva plantilla' })
    await form.getByLabel('Texto').fill('Hola, {{name}}: {{ciudad}}, {{cita}}')
    await form.getByText('Ningún contacto de los primeros tiene «cita»').waitFor()
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Escriba un nombre').waitFor()
  },
  'template, about to be deleted': async (page) => {
    await page.goto('/contacts?tab=templates&open=remove-1')
    await page.getByText('¿Borrar la plantilla').waitFor()
  },
  'settings, sending hours refused': async (page) => {
    await page.goto('/settings')
    const marketing = page.getByRole('group', { name: 'Horario de marketing' })
    await marketing.getByLabel('Hasta').fill('25:00')
    await page.getByLabel('Solo a ciertas horas').check()
    await page.getByLabel('Por el reloj').last().selectOption('zone')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await marketing.getByText('Escriba una hora').waitFor()
  },
  keywords: async (page) => {
    await page.goto('/settings?tab=keywords')
    await page.getByRole('button', { name: 'Cambiar HORARIO' }).waitFor()
  },
  'keyword, refused': async (page) => {
    await page.goto('/settings?tab=keywords&open=new')
    await page.getByRole('dialog').getByRole('button', { name: 'Guardar' }).click()
    await page.getByText('Escriba la respuesta.').waitFor()
  },
  'keyword, about to be deleted': async (page) => {
    await page.goto('/settings?tab=keywords&open=remove-2')
    await page.getByText('¿Borrar la palabra').waitFor()
  },
  campaigns: async (page) => {
    await page.goto('/campaigns')
    await page.getByRole('link', { name: 'Aviso de cierre' }).waitFor()
  },
  'conversation, its contact': async (page) => {
    await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
    await page.getByRole('button', { name: 'Contacto' }).click()
    await page.getByLabel('Recibe mensajes').waitFor()
  },
  'conversation, about to be opted out': async (page) => {
    await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
    await page.getByRole('button', { name: 'Contacto' }).click()
    await page.getByLabel('Recibe mensajes').click()
    await page.getByText('No se le envía nada más, tampoco').waitFor()
  },
  'message that may have arrived, about to be sent again': async (page) => {
    const row = exampleLog(9, 'uncertain', 5)
    await page.route('**/api/logs/devices?*', (route) =>
      route.fulfill({ json: { logs: [row], next_cursor: null } }),
    )
    await page.route('**/api/logs/queue/guid/*', (route) => route.fulfill({ json: row }))
    await page.goto(`/logs?open=${row.guid}`)
    await page.getByRole('button', { name: 'Enviar de nuevo' }).click()
    await page.getByText('la persona lo recibirá dos veces').waitFor()
  },
  'campaign, about to be deleted': async (page) => {
    await page.goto('/campaigns')
    await page.getByRole('button', { name: 'Borrar Promoción' }).click()
    await page.getByText('Sus mensajes siguen en Logs').waitFor()
  },
  'campaign, running': async (page) => {
    await page.goto('/campaigns/7')
    await page.getByText('Por qué termina').waitFor()
    await page.getByRole('button', { name: 'CSV' }).waitFor()
    await page.getByRole('button', { name: 'Abrir la fila 17' }).click()
    await page.getByRole('link', { name: 'Ver en Logs' }).waitFor()
  },
  'campaign, about to be stopped': async (page) => {
    await page.goto('/campaigns/6')
    await page.getByRole('button', { name: 'Detener…' }).click()
    await page.getByText('no se enviarán nunca').waitFor()
  },
  'campaign, stopped, by reason': async (page) => {
    await page.goto('/campaigns/2?state=skipped&reason=invalid')
    await page.getByRole('button', { name: 'Reintentar 15' }).waitFor()
    await page.getByText('Falta un campo del texto: hora').waitFor()
    await page.getByRole('button', { name: 'CSV' }).waitFor()
  },
  'campaign, scheduled': async (page) => {
    await page.goto('/campaigns/4')
    await page.getByText('Empieza', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'CSV' }).waitFor()
  },
  'import of contacts': async (page) => {
    await page.goto('/contacts/import')
    await page.getByRole('button', { name: 'Elegir un CSV' }).waitFor()
  },
  'import of contacts, its rows': async (page) => {
    await chooseCsv(page, 'Teléfono;Nombre;Ciudad\n600111222;Ana;Vigo\n;Luis;=1+1\n600111222;Eva;Lugo\n')
    await page.getByRole('group', { name: 'Filas que no se importaron' }).waitFor()
  },
  'import of contacts, without a column of numbers': async (page) => {
    await chooseCsv(page, 'Nombre;Ciudad\nAna;Vigo\n')
    await page.getByText('Ninguna columna da el número').waitFor()
  },
  'import of contacts, interrupted': async (page) => {
    const refusal = { detail: 'The server is busy.', code: 'busy' }
    await page.route('**/api/contacts/import*', (route) => route.fulfill({ status: 503, json: refusal }))
    await chooseCsv(page, 'Teléfono;Nombre\n600111222;Ana\n')
    await page.getByRole('button', { name: 'Importar 1 fila' }).click()
    await page.getByRole('button', { name: 'Continuar' }).waitFor()
  },
}

/** Opens the import with a file of this text. */
export async function chooseCsv(page: Page, text: string | Buffer, name = 'people.csv'): Promise<void> {
  await page.goto('/contacts/import')
  const buffer = typeof text === 'string' ? Buffer.from(text) : text
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
}
