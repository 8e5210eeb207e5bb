import type { QuotaName } from '@sdd/contract/accounts/quotas.ts'
import { wording } from '#console/core/language.ts'

export const quotas = wording('quotas', {
  intro: 'Cuánto puede tener a la vez la empresa. Lo que ya tiene se queda, aunque sea más.',
  readOnly: 'Solo un superadmin puede cambiar las cuotas.',
  names: {
    devices: 'Dispositivos',
    waiting_tasks: 'Tareas en espera',
    api_keys: 'Claves de API',
    users: 'Usuarios',
    sessions: 'Sesiones por usuario',
    live_connections: 'Conexiones en vivo',
    link_codes: 'Códigos de enlace',
    webhooks: 'Webhooks',
  } satisfies Record<QuotaName, string>,
  used: (used: string) => `En uso: ${used}. `,
  usual: (usual: string) => `De serie: ${usual}`,
  emptied: '; vacío vuelve a ella.',
  sessionsHint: 'Al pasar de ahí se cierra la que más lleva sin uso. ',
  range: 'Escriba un número entero de 0 a 1000000000, o nada.',
  save: 'Guardar cuotas',
  saved: 'Cuotas guardadas.',
  saveFailed: 'No se pudieron guardar las cuotas.',
  loadFailed: 'No se pudieron cargar las cuotas.',
})
