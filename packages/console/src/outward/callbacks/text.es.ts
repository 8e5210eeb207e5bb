import type { Callback, CallbackState, LastErrorCode, ToldType } from '@sdd/contract/outward/callbacks.ts'
import { formats } from '#console/core/formats.es.ts'
import { paramsIn, sentenceOf, type Sentences } from '#console/core/said.ts'

type LastTry = Pick<Callback, 'last_error' | 'last_error_code' | 'last_error_params'>

export const callbacks = {
  webhooks: 'Webhooks',
  webhooksAbout: 'Direcciones que reciben los eventos de cada tarea, firmados (Standard Webhooks).',
  noWebhooks: 'Todavía no hay webhooks. Además, cada tarea puede llevar su propia callback_url.',
  webhooksFailed: 'No se pudieron cargar los webhooks.',
  allTypes: 'todos los eventos',
  format: { kannel: 'formato de Kannel', twilio: 'formato de Twilio' },
  madeBy: (name: string | null) => `Creado por ${name ?? 'un usuario borrado'},`,
  dead: (n: number) => (n === 1 ? '1 abandonada en 7 días' : `${n} abandonadas en 7 días`),

  add: 'Añadir webhook',
  test: 'Probar',
  testNamed: (url: string) => `Probar ${url}`,
  rotateNamed: (url: string) => `Rotar el secreto de ${url}`,
  previous: 'El secreto anterior también firma hasta el',
  remove: 'Quitar',
  removeNamed: (url: string) => `Quitar ${url}`,

  log: 'Entregas',
  list: 'Entregas a otros sistemas',
  filter: 'Estado',
  all: 'Todas',
  search: 'GUID de la tarea',
  columns: {
    created_at: 'Fecha',
    type: 'Evento',
    guid: 'GUID',
    url: 'URL',
    state: 'Estado',
    tries: 'Intentos',
    last: 'Resultado',
    next_try_at: 'Siguiente intento',
    actions: 'Acciones',
  },
  states: {
    waiting: 'En espera',
    delivered: 'Entregada',
    dead: 'Abandonada',
  } satisfies Record<CallbackState, string>,
  typeOf: (type: ToldType) => types[type],
  status: (status: number) => `HTTP ${status}`,
  lastError: ({ last_error, last_error_code: code, last_error_params }: LastTry) =>
    code || last_error
      ? sentenceOf(
          lastErrors,
          { code: code ?? '', params: paramsIn(last_error_params) },
          { ...formats, otherwise: code ? `No llegó (código ${code}).` : 'No llegó.' },
        )
      : undefined,
  loadFailed: 'No se pudieron cargar las entregas.',
  empty: 'Todavía no se ha enviado nada.',
  emptyHint: 'Aquí aparece cada envío a una callback_url o a un webhook, con sus intentos.',
  emptyFiltered: 'Ninguna entrega coincide con los filtros.',
  copied: 'GUID copiado',
  repeat: 'Enviar de nuevo',
  repeatNamed: (guid: string) => `Enviar de nuevo ${guid}`,
  repeated: (guid: string) => `${guid}: se envía de nuevo`,
  repeatFailed: 'No se pudo enviar de nuevo.',
  see: (guid: string) => `Ver ${guid}`,
}

const types: Record<ToldType, string> = {
  'task.sent': 'Enviado',
  'task.delivered': 'Entregado',
  'task.replied': 'Respondido',
  'task.failed': 'Fallido',
  'task.uncertain': 'Incierto',
  'task.expired': 'Caducado',
  'sms.received': 'SMS recibido',
  'alert.opened': 'Alerta abierta',
  'alert.resolved': 'Alerta resuelta',
  'task.handed': 'Aceptado por un dispositivo',
  'task.cancelled': 'Descartado',
}

const lastErrors = {
  gone: () => 'Respondió 410: ya no quiere recibir nada.',
  redirect: ({ status }) =>
    `Respondió ${status}, una redirección: no se siguen, así que indique la dirección final.`,
  refused: () => 'Rechazó la conexión.',
  closed: () => 'Cerró la conexión antes de responder.',
  bad_certificate: ({ reason }) => `Su certificado no es de confianza (${reason}).`,
  bad_tls: ({ reason }) => `Falló la conexión cifrada TLS (${reason}).`,
  not_http: ({ reason }) => `Su respuesta no es HTTP (${reason}).`,
  unreachable: ({ reason }) => `No se pudo conectar (${reason}).`,
  late: ({ secs }) => `No respondió en ${secs} s.`,
  not_public: ({ host }) =>
    `${host} lleva a una dirección que no es pública, y este servidor no llama a ninguna de esas (CALLBACK_ADDRESSES).`,
  not_listed: ({ host }) =>
    `${host} no está entre las direcciones a las que llama este servidor (CALLBACK_HOSTS).`,
  no_address: ({ host, reason }) => `${host} no tiene dirección ahora (${reason}).`,
  slow_name: ({ host }) => `La dirección de ${host} tardó demasiado en resolverse.`,
  webhook_removed: () => 'Se quitó el webhook.',
  no_secret: () => 'La tarea no llegó con una clave de API, así que no hay secreto con que firmar.',
  not_tried: () => 'El servidor no pudo intentarlo.',
  other: ({ text }) => `No llegó: «${text}»`,
} satisfies Sentences<LastErrorCode>
