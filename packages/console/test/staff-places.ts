import type { Page } from 'playwright-core'

/** The screens and dialogs of users, tasks, settings and linking, and how to open each. */
export const staffPlaces: Record<string, (page: Page) => Promise<unknown>> = {
  users: async (page) => {
    await page.goto('/users')
    await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  },
  'users, none found': async (page) => {
    await page.goto('/users?search=nobody')
    await page.getByText('No users found matching the search.').waitFor()
  },
  'user form, refused': async (page) => {
    await page.goto('/users?edit=new')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
  },
  'user form, everything open': async (page) => {
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  },
  'user form, access taken away': async (page) => {
    await page.goto('/users?edit=2')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
    await page.getByLabel('Enabled').uncheck()
    await page.getByText('CRM de citas').waitFor()
  },
  'users, saved': async (page) => {
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Usuario guardado').waitFor()
  },
  'users, several to enable': async (page) => {
    await page.goto('/users?edit=enable')
    await page.getByRole('button', { name: 'Seleccionar todos' }).click()
  },
  'users, not all enabled': async (page) => {
    const refusal = { detail: 'The quota of users is used up.', code: 'quota_reached' }
    await page.route('**/api/user', (route) => route.fulfill({ status: 429, json: refusal }))
    await page.goto('/users?edit=enable')
    await page.getByRole('button', { name: 'Seleccionar todos' }).click()
    await page.getByRole('button', { name: /Habilitar \(/ }).click()
    await page.getByRole('alert').waitFor()
  },
  tasks: async (page) => {
    await page.goto('/running-tasks')
    await page.getByRole('button', { name: 'Ver task-000700' }).waitFor()
  },
  'tasks, several about to be discarded': async (page) => {
    await page.goto('/running-tasks')
    await page.getByRole('button', { name: 'Ver task-000700' }).waitFor()
    await page.keyboard.press('*')
    await page.getByRole('region', { name: 'Selección' }).getByRole('button', { name: 'Descartar' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'task details': async (page) => {
    await page.goto('/running-tasks?open=task-000700')
    await page.getByText('anwer_sent').waitFor()
    await page.getByText('En espera').waitFor()
  },
  settings: async (page) => {
    await page.goto('/settings')
    await page.getByRole('option', { name: 'Norte Mensajería (2)' }).waitFor({ state: 'attached' })
  },
  'settings, sending off and refused': async (page) => {
    await page.goto('/settings?company=2')
    await page.getByLabel('Spoof time (secs)').fill('-1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Escriba un número entero de 0 a 86400.').waitFor()
  },
  'settings, about to stop': async (page) => {
    await page.goto('/settings')
    await page.getByLabel('Send enabled').uncheck()
  },
  'settings, about to require a second factor': async (page) => {
    await page.goto('/settings')
    await page.getByLabel('Exigir el segundo factor a los administradores').check()
    await page.getByText('usted incluido').waitFor()
  },
  'settings of devices': async (page) => {
    await page.goto('/settings?tab=devices&edit=drone-0003')
    await page.getByRole('spinbutton').fill('-1')
    await page.getByRole('row').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
  },
  'API keys': async (page) => {
    await page.goto('/settings?tab=api-keys')
    await page.getByRole('cell', { name: 'CRM de citas', exact: true }).waitFor()
  },
  'API key, refused': async (page) => {
    await page.goto('/settings?tab=api-keys&open=new')
    await page.getByLabel('Leer tareas').uncheck()
    await page.getByLabel('Entregar y descartar tareas').uncheck()
    await page.getByRole('button', { name: 'Crear clave' }).click()
    await page.getByText('Marque al menos un permiso.').waitFor()
  },
  'webhook in the form of Twilio': async (page) => {
    await page.goto('/settings?tab=callbacks&open=new')
    await page.getByRole('dialog').getByLabel('Formato').selectOption({ index: 2 })
    await page.getByText('Elija una clave').waitFor({ state: 'attached' })
  },
  'tasks, saved views': async (page) => {
    await page.goto('/running-tasks')
    await page.getByRole('button', { name: 'Vistas guardadas' }).click()
    await page.getByRole('textbox', { name: 'Nombre' }).fill('drone-0001')
    await page.getByRole('button', { name: 'Guardar esta vista' }).click()
    await page.getByRole('link', { name: 'drone-0001' }).waitFor()
  },
  'API key, shown once': async (page) => {
    await page.goto('/settings?tab=api-keys&open=new')
    await page.getByLabel('Nombre').fill('Facturas')
    await page.getByLabel('Con un acceso corto para SMPP').check()
    await page.getByRole('button', { name: 'Crear clave' }).click()
    await page.getByRole('dialog', { name: 'Clave «Facturas»' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(/No ha copiado nada/).waitFor()
  },
  'API key, about to be rotated again': async (page) => {
    await page.goto('/settings?tab=api-keys&open=rotate-1')
    await page.getByRole('button', { name: 'Anular ya' }).waitFor()
  },
  'webhook, its secret rotated': async (page) => {
    await page.goto('/settings?tab=callbacks&open=rotate-1')
    await page.getByRole('button', { name: 'Rotar', exact: true }).click()
    await page.getByRole('dialog', { name: 'Secreto nuevo' }).waitFor()
  },
  'webhook, tested': async (page) => {
    await page.goto('/settings?tab=callbacks&open=test-1')
    await page.getByRole('button', { name: 'Enviar prueba' }).click()
    await page.getByText('HTTP 204 · 37 ms').waitFor()
  },
  'callbacks, given up': async (page) => {
    await page.goto('/settings?tab=callbacks&state=dead')
    await page.getByRole('button', { name: 'Enviar de nuevo todo lo abandonado' }).waitFor()
  },
  'opt-outs, selected': async (page) => {
    await page.goto('/settings?tab=opt-outs')
    await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
    const bar = page.getByRole('region', { name: 'Selección' })
    await bar.waitFor()
    await page.getByRole('checkbox').nth(1).click()
    await bar.getByRole('button', { name: 'Quitar baja' }).click()
    await page.getByRole('dialog').waitFor()
  },
  'settings, unsaved': async (page) => {
    await page.goto('/settings')
    await page.getByLabel('Spoof time (secs)').fill('7')
    await page.getByText('Hay cambios sin guardar.').waitFor()
  },
  callbacks: async (page) => {
    await page.goto('/settings?tab=callbacks')
    await page.getByRole('button', { name: 'Ver task-000120' }).waitFor()
    await page.getByText('2 abandonados en 7 días').waitFor()
  },
  'callback details': async (page) => {
    await page.goto('/settings?tab=callbacks&open=120')
    await page.getByRole('dialog').getByText('msg_000120').waitFor()
  },
  destinations: async (page) => {
    await page.goto('/settings?tab=destinations')
    await page.getByLabel('Prefijos permitidos').fill('abc')
    await page.getByRole('button', { name: 'Guardar destinos' }).click()
    await page.getByText('«abc» no es un prefijo').waitFor()
  },
  quotas: async (page) => {
    await page.goto('/settings?tab=quotas')
    await page.getByLabel('Webhooks').fill('-1')
    await page.getByRole('button', { name: 'Guardar cuotas' }).click()
    await page.getByText('Escriba un número entero').waitFor()
  },
  'opt-outs': async (page) => {
    await page.goto('/settings?tab=opt-outs')
    await page.getByRole('cell', { name: '+34620003293', exact: true }).waitFor()
  },
  'opt-out, about to be lifted': async (page) => {
    await page.goto('/settings?tab=opt-outs&open=89')
    await page.getByRole('dialog', { name: /^¿Quitar la baja/ }).waitFor()
  },
  audit: async (page) => {
    await page.goto('/settings?tab=audit')
    await page.getByRole('cell', { name: 'Guardó los ajustes' }).first().waitFor()
  },
  'audit, one change': async (page) => {
    await page.goto('/settings?tab=audit&open=80')
    await page.getByRole('dialog').getByText('stop_words').waitFor()
  },
  'task, about to be discarded': async (page) => {
    await page.goto('/running-tasks?open=task-000700')
    await page.getByRole('button', { name: 'Descartar' }).click()
    await page.getByText('¿Descartar esta tarea?').waitFor()
  },
  'linking, form': async (page) => {
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).waitFor()
  },
  'linking, code': async (page) => {
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).click()
    await page.getByRole('img', { name: /^Código QR/ }).waitFor()
  },
  'linking, phone': async (page) => {
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).click()
    await page.getByRole('tab', { name: 'Móvil con la app' }).click()
    await page.getByLabel('Dirección').waitFor()
  },
  'linking, codes': async (page) => {
    await page.goto('/devices?link=codes')
    await page.getByText('QK7M…').waitFor()
  },
  'linking, about to be revoked': async (page) => {
    await page.goto('/devices?link=codes')
    await page.getByRole('button', { name: 'Revocar el código QK7M…' }).click()
    await page.getByText('Los 18 dispositivos').waitFor()
  },
}
