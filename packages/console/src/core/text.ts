import type { Role } from '@sdd/contract/core/roles.ts'
import type { DeviceStatus } from '@sdd/contract/core/live.ts'
import { wording } from '#console/core/language.ts'

/**
 * Texts for any screen; each noun has its own file too. Texts of the user specification are verbatim, accents and
 * languages included; the others are Spanish. `*.es.ts` and `*.en.ts` have the wordings that a user may choose.
 */
export const text = wording('text', {
  product: 'SMS DRONE DASH',
  retry: 'Reintentar',
  close: 'Cerrar',
  cancel: 'Cancelar',
  toasts: 'Avisos',
  closeToast: 'Cerrar aviso',
  noReply: 'No hay respuesta del servidor. Compruebe la conexión.',
  serverGone: 'El servidor no responde. Podrá enviar o guardar cuando vuelva.',
  screenFailed: 'No se pudo mostrar esta pantalla.',
  none: '-',
  copy: (what: string) => `Copiar ${what}`,
  copied: 'Copiado',
  compactRows: 'Filas compactas',
  yes: 'Sí',
  no: 'No',
  forbidden: 'Solo un administrador puede ver esto.',
  company: 'Empresa',
  roles: { superadmin: 'superadmin', admin: 'admin', user: 'user' } satisfies Record<Role, string>,
  deviceStatus: { connected: 'connected', disconnected: 'disconnected' } satisfies Record<
    DeviceStatus,
    string
  >,
  period: 'Periodo',
  periods: { today: 'Hoy', yesterday: 'Ayer', week: '7 días' },
  from: 'Desde',
  to: 'Hasta',
  clearFilters: 'Quitar filtros',
  rowsFound: (count: string) => (count === '1' ? '1 fila' : `${count} filas`),
  kept: 'Se muestra lo último que se cargó.',
  moreFailed: 'No se pudo cargar el resto.',
  once: {
    only: 'Se muestra esta única vez: cópielo ahora y guárdelo en un lugar seguro.',
    notCopied: 'No ha copiado nada. Si cierra ahora, no se podrá ver nunca más.',
  },
})
