import type { CallbackType } from '@sdd/contract/outward/callbacks.ts'
import { wording } from '#console/core/language.ts'

/** Texts of the dialogs only, loaded with them. */
export const callbackDialogs = wording('callbackDialogs', {
  url: 'URL',
  urlHint: 'https://… Las direcciones privadas se rechazan salvo que el operador las permita.',
  urlWrong: 'Escriba una dirección http:// o https:// sin nombre de usuario.',
  types: 'Qué se le envía',
  typeWords: {
    'task.sent': 'La red aceptó el SMS',
    'task.delivered': 'Llegó al destinatario',
    'task.replied': 'El destinatario respondió',
    'task.failed': 'Falló',
    'task.uncertain': 'No se sabe si salió',
    'task.expired': 'Caducó sin enviarse',
    'sms.received': 'Se recibió un SMS',
    'alert.opened': 'Se abrió una alerta',
    'alert.resolved': 'Se resolvió una alerta',
  } satisfies Record<CallbackType, string>,
  format: 'Formato',
  formats: { json: 'JSON firmado', kannel: 'Como Kannel', twilio: 'Como Twilio' },
  formatHints: {
    json: 'Un POST por cada aviso, firmado (Standard Webhooks).',
    kannel: 'Un GET por cada SMS recibido. La URL lleva %p (remitente), %P (su SIM), %a (texto) y %t (hora).',
    twilio: 'Un POST por cada SMS recibido. Lo que conteste en TwiML se envía al remitente.',
  },
  key: 'Clave de API',
  keyHint: 'Su secreto de callbacks firma cada envío, y con ella se envían las respuestas.',
  noKey: 'Ninguna clave puede leer SMS recibidos: cree antes una con ese permiso.',
  chooseKey: 'Elija una clave',
  keyMissing: 'Elija la clave que firma.',
  noType: 'Marque al menos un tipo.',
  addFailed: 'No se pudo añadir el webhook.',
  made: 'Webhook añadido',
  secret: 'Secreto',
  secretHint: 'Con él se comprueba la cabecera webhook-signature de cada envío.',
  copySecret: 'Copiar secreto',

  rotateTitle: '¿Rotar el secreto de este webhook?',
  rotateMeans: 'Se crea un secreto nuevo, que se muestra una sola vez. La dirección y los tipos no cambian.',
  overlap: '¿Sigue firmando el secreto de ahora después de rotar?',
  rotateFailed: 'No se pudo rotar el secreto.',
  rotated: 'Secreto nuevo',
  previousLasts: (until: string) =>
    `El secreto anterior firma hasta ${until}. Si rota otra vez, deja de firmar.`,
  previousGoesOn: (until: string) => `Hasta ${until} cada envío lleva las dos firmas.`,
  previousDead: 'El secreto anterior ya no firma.',
  endTitle: '¿Anular el secreto anterior?',
  endMeans:
    'Desde este momento los envíos llevan solo la firma del secreto nuevo. No se puede deshacer. Si el receptor aún comprueba el anterior, los rechazará.',
  endFailed: 'No se pudo anular el secreto anterior.',
  ended: 'Secreto anterior anulado',

  removeTitle: '¿Quitar este webhook?',
  removeMeans: 'Deja de recibir desde este momento, y lo que aún espera para él se abandona.',
  removeFailed: 'No se pudo quitar el webhook.',
  removed: 'Webhook quitado',
  webhookGone: 'Ese webhook ya no existe.',

  behind: (type: string, until: string | null) =>
    `Espera a otra entrega anterior de la misma tarea y dirección (${type})${until ? `, que se prueba de nuevo el ${until}` : ''}. Se envían en orden.`,
  body: 'Lo que se envía',

  test: 'Enviar prueba',
  testAgain: 'Enviar otra prueba',
  testing: 'Enviando…',
  testTitle: 'Probar el webhook',
  testMeans:
    'Se envía una vez un evento de tipo webhook.test, firmado como los demás. No se guarda ni se repite.',
  testFailed: 'No se pudo enviar la prueba.',
  testArrived: 'Llegó',
  testRefused: 'No llegó',

  repeatAll: 'Enviar de nuevo todo lo abandonado',
  repeatAllFailed: 'No se pudo enviar de nuevo.',
  repeatedAll: (count: number, more: boolean) =>
    `${count === 1 ? '1 entrega se envía' : `${count} entregas se envían`} de nuevo${more ? '; quedan más' : ''}`,

  details: 'Detalles de la entrega',
  unknown: 'Esa entrega no está en la lista.',
  deadMeans:
    'Se probó durante 24 horas y se abandonó. Enviar de nuevo empieza otra vez, con el mismo webhook-id.',
  toTask: 'Ver la tarea',
  fields: {
    webhook_id: 'webhook-id',
    type: 'Tipo',
    guid: 'GUID',
    url: 'URL',
    created_at: 'Creado',
    tries: 'Intentos',
    last_tried_at: 'Último intento',
    last_status: 'Último estado HTTP',
    last_error: 'Último error',
    next_try_at: 'Siguiente intento',
    delivered_at: 'Entregado',
  },
})
