import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'
import { wording } from '#console/core/language.ts'

export const apiKeys = wording('apiKeys', {
  title: 'API keys',
  about: 'Con una clave, otro sistema entrega tareas y consulta su estado.',
  list: 'Lista de claves de API',
  columns: {
    name: 'Nombre',
    may: 'Permisos',
    hint: 'Clave',
    created_at: 'Creada',
    by: 'Por',
    last_used_at: 'Último uso',
    expires_at: 'Caduca',
    actions: 'Acciones',
  },
  may: {
    'tasks:write': 'Entregar y descartar tareas',
    'tasks:read': 'Leer tareas',
    'inbox:read': 'Leer SMS recibidos',
  } satisfies Record<KeyPermission, string>,
  shortMay: (may: readonly KeyPermission[]) => may.map((one) => short[one]).join(', '),
  classes: 'Clases de mensajes',
  class: {
    code: 'Códigos',
    transactional: 'Transaccionales',
    marketing: 'Marketing',
  } satisfies Record<MessageClass, string>,
  noClass: 'Marque al menos una clase.',
  neverUsed: 'nunca',
  neverExpires: 'nunca',
  soon: 'pronto',
  nobody: 'usuario borrado',
  loadFailed: 'No se pudieron cargar las claves de API.',
  empty: 'Todavía no hay claves de API.',
  emptyHint: 'Cree una para el sistema que vaya a entregar tareas: cada sistema, la suya.',
  copied: (hint: string) => `${hint} copiado`,

  add: 'Nueva clave',
  name: 'Nombre',
  nameHint: 'El sistema que la usará, por ejemplo «CRM de citas».',
  nameMissing: 'Escriba un nombre.',
  permissions: 'Permisos',
  noPermission: 'Marque al menos un permiso.',
  smpp: 'Con un acceso corto para SMPP',
  smppHint: 'Para programas que cortan la contraseña a 8 caracteres, como Kannel. Los demás usan la clave.',
  systemId: 'SMPP: system_id',
  systemIdHint: 'Solo para SMPP, junto con esta contraseña.',
  copySystemId: 'Copiar system_id',
  smppPassword: 'SMPP: contraseña',
  copyPassword: 'Copiar contraseña',
  expiry: 'Caducidad',
  expiries: { never: 'No caduca', 30: 'En 30 días', 90: 'En 90 días', 365: 'En un año', at: 'Otra fecha…' },
  expiresAt: 'Caduca el',
  expiryMissing: 'Elija una fecha que esté por venir.',
  create: 'Crear clave',
  createFailed: 'No se pudo crear la clave.',

  made: (name: string) => `Clave «${name}»`,
  key: 'Clave',
  copyKey: 'Copiar clave',
  secret: 'Secreto de los callbacks',
  secretHint: 'Firma lo que se envía a la callback_url de las tareas de esta clave (Standard Webhooks).',
  copySecret: 'Copiar secreto',
  example: 'Pruébela',
  copyExample: 'Copiar orden',

  rotateNamed: (name: string) => `Rotar ${name}`,
  rotateTitle: (name: string) => `¿Rotar «${name}»?`,
  rotateMeans:
    'Se crean una clave y un secreto de callbacks nuevos, que se muestran una sola vez. El nombre, los permisos y la caducidad no cambian.',
  overlap: (hint: string) => `¿Sigue valiendo ${hint}… después de rotar?`,
  rotateFailed: 'No se pudo rotar la clave.',
  previous: 'anterior:',
  previousLasts: (until: string) =>
    `La clave anterior y su secreto valen hasta ${until}. Si rota otra vez, dejan de valer.`,
  previousGoesOn: (until: string) =>
    `La clave anterior y su secreto valen hasta ${until}; hasta entonces los callbacks llevan las dos firmas.`,
  previousDead: 'La clave anterior y su secreto ya no valen.',
  endTitle: (name: string) => `¿Anular la clave anterior de «${name}»?`,
  endMeans:
    'El sistema que aún la use deja de poder entrar en este momento. No se puede deshacer. La clave nueva sigue valiendo.',
  endFailed: 'No se pudo anular la clave anterior.',
  ended: (name: string) => `«${name}»: clave anterior anulada`,

  revoke: 'Revocar',
  revokeNamed: (name: string) => `Revocar ${name}`,
  revokeTitle: (name: string) => `¿Revocar «${name}»?`,
  revokeMeans: (hint: string) =>
    `El sistema que usa ${hint}… deja de poder entregar, leer y descartar tareas en este momento. No se puede deshacer: necesitará otra clave.`,
  revokeBoth: 'También deja de valer la clave anterior, de antes de rotarla.',
  revokeKeeps: 'Las tareas que ya entregó siguen su curso, con sus callbacks.',
  lastUsed: 'Último uso:',
  revokeFailed: 'No se pudo revocar la clave.',
  revoked: (name: string) => `«${name}» revocada`,
  gone: 'Esa clave ya no existe.',
})

const short: Record<KeyPermission, string> = {
  'tasks:write': 'entregar',
  'tasks:read': 'leer',
  'inbox:read': 'recibidos',
}
