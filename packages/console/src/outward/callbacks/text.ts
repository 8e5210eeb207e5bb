import type { Callback, CallbackState, ToldType } from '@sdd/contract/outward/callbacks.ts'
import { wording } from '#console/core/language.ts'

type LastTry = Pick<Callback, 'last_error' | 'last_error_code' | 'last_error_params'>

export const callbacks = wording('callbacks', {
  webhooks: 'Webhooks',
  webhooksAbout: 'Direcciones que reciben lo que pasa con cada tarea, firmado (Standard Webhooks).',
  noWebhooks: 'Todavía no hay webhooks. Una tarea puede llevar además su propia callback_url.',
  webhooksFailed: 'No se pudieron cargar los webhooks.',
  allTypes: 'todos los tipos',
  format: { kannel: 'formato de Kannel', twilio: 'formato de Twilio' },
  madeBy: (name: string | null) => `Creado por ${name ?? 'un usuario borrado'},`,
  dead: (n: number) => (n === 1 ? '1 abandonado en 7 días' : `${n} abandonados en 7 días`),

  add: 'Añadir webhook',
  test: 'Probar',
  testNamed: (url: string) => `Probar ${url}`,
  rotateNamed: (url: string) => `Rotar el secreto de ${url}`,
  previous: 'Firma también el secreto anterior, hasta',
  remove: 'Quitar',
  removeNamed: (url: string) => `Quitar ${url}`,

  log: 'Entregas',
  list: 'Entregas a otros sistemas',
  filter: 'Estado',
  all: 'Todas',
  search: 'GUID de la tarea',
  columns: {
    created_at: 'Cuándo',
    type: 'Tipo',
    guid: 'GUID',
    url: 'URL',
    state: 'Estado',
    tries: 'Intentos',
    last: 'Último resultado',
    next_try_at: 'Siguiente',
    actions: 'Acciones',
  },
  states: {
    waiting: 'En espera',
    delivered: 'Entregado',
    dead: 'Abandonado',
  } satisfies Record<CallbackState, string>,
  typeOf: (type: ToldType): string => type,
  status: (status: number) => `HTTP ${status}`,
  /** Undefined if the last try had no error. */
  lastError: ({ last_error }: LastTry): string | undefined => last_error ?? undefined,
  loadFailed: 'No se pudieron cargar las entregas.',
  empty: 'Todavía no se ha enviado nada.',
  emptyHint: 'Aquí aparece cada envío a una callback_url o a un webhook, con sus intentos.',
  emptyFiltered: 'Ninguna entrega cumple los filtros.',
  copied: 'GUID copiado',
  repeat: 'Enviar de nuevo',
  repeatNamed: (guid: string) => `Enviar de nuevo ${guid}`,
  repeated: (guid: string) => `${guid}: se envía de nuevo`,
  repeatFailed: 'No se pudo enviar de nuevo.',
  see: (guid: string) => `Ver ${guid}`,
})
