import type { Page } from 'playwright-core'

/** The screens and dialogs of alerts, and how to open each. */
export const alertPlaces: Record<string, (page: Page) => Promise<unknown>> = {
  'alerts, open on any screen': async (page) => {
    await page.goto('/devices?alerts=open')
    const list = page.getByRole('dialog', { name: 'Alertas' })
    await list.getByText('Sin aviso: Panel de operaciones (HTTP 410)').waitFor()
    await list.getByText('Enterado: Ana Ruiz').waitFor()
    await list.getByText('3 dispositivos en cuarentena').waitFor()
    await list.getByRole('region', { name: 'Resueltas' }).waitFor()
  },
  'alerts, a wrong value and tests': async (page) => {
    await page.goto('/settings?tab=alerts')
    await page.getByLabel('Umbral de Límite diario').fill('101')
    await page.getByLabel('Umbral de Límite diario').press('Enter')
    await page.getByText('Escriba un número entero de 1 a 100.').waitFor()
    await page.getByRole('button', { name: 'Probar Tasa de fallos' }).click()
    await page.getByText('Panel de operaciones: no llegó').waitFor()
    await page.getByText('Rechazó la conexión.').waitFor()
    await page.getByRole('button', { name: 'Probar Marta Sanz' }).click()
    await page.getByText('Marta Sanz: llegó').waitFor()
    const channels = page.getByRole('region', { name: 'A quién se avisa' })
    const tested = channels.getByRole('listitem').filter({ hasText: 'Marta Sanz' })
    await tested.getByText('Funciona').waitFor()
  },
  'alert rule, refused': async (page) => {
    await page.goto('/settings?tab=alerts&open=rule-2')
    const form = page.getByRole('dialog', { name: 'Tasa de fallos' })
    await form.getByLabel('Umbral').fill('x')
    await form.getByLabel('Solo con una').fill('any')
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Una etiqueta tiene').waitFor()
  },
  'alert rule, own hours refused': async (page) => {
    await page.goto('/settings?tab=alerts')
    await page.getByText('09:00–14:00').waitFor()
    await page.getByLabel('Cuándo avisa Dispositivo desconectado').selectOption('other')
    const form = page.getByRole('dialog', { name: 'Dispositivo desconectado' })
    await form.getByRole('button', { name: 'Añadir tramo' }).click()
    await form.getByLabel('Hasta').first().fill('25:00')
    await form.getByLabel('Zona horaria').fill('Madrid')
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Escriba una zona').waitFor()
  },
  'alert rule, about to be deleted': async (page) => {
    await page.goto('/settings?tab=alerts&open=remove-1')
    await page.getByText('Sus alertas abiertas se cierran').waitFor()
  },
  'alert channel, refused': async (page) => {
    await page.goto('/settings?tab=alerts&open=new-channel')
    const form = page.getByRole('dialog', { name: 'Nuevo canal' })
    await form.getByLabel('Tipo').selectOption('telegram')
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Escriba el token').waitFor()
  },
  'alert channel, with a token': async (page) => {
    await page.goto('/settings?tab=alerts&open=channel-5')
    await page.getByRole('dialog', { name: 'Móvil de guardia' }).getByLabel('Quitar el token').waitFor()
  },
  'alert channel, made': async (page) => {
    await page.goto('/settings?tab=alerts&open=new-channel')
    const form = page.getByRole('dialog', { name: 'Nuevo canal' })
    await form.getByLabel('Tipo').selectOption('webhook')
    await form.getByLabel('Nombre').fill('Panel')
    await form.getByLabel('URL').fill('https://a.example.com')
    await form.getByRole('button', { name: 'Guardar' }).click()
    await page.getByRole('dialog', { name: 'Canal guardado' }).waitFor()
  },
}
