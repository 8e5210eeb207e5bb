import { textOf, type CallFault } from '@sdd/contract/core/client.ts'
import { wording } from '#console/core/language.ts'

export const send = wording('send', {
  title: 'Send SMS',
  device: 'UID',
  choose: '-- Selecciona UID --',
  phone: 'Teléfono',
  phonePlaceholder: '+34...',
  message: 'Mensaje',
  submit: 'SEND',
  sending: 'Enviando…',
  success: 'Envío correcto',
  failure: 'Error',
  /** `status` is the server's word of success, if it sent one. */
  accepted: (status: string | undefined) => status ?? 'SMS enviado correctamente.',
  /** The server answered with another word than that of success. */
  answered: (status: string) => status,
  /** Undefined if the refusal has no sentence. */
  refusal: ({ body }: CallFault) => textOf(body, 'status'),
  /** `statusText` is empty over HTTP/2, and if only the body cannot be read. */
  refused: (status: number, statusText: string) => `Error ${status}: ${statusText || 'respuesta ilegible'}`,
  through: 'Dispositivo',
  gone: (uid: string) => `${uid} se ha desconectado: elija otro.`,
  noneConnected: 'Ahora no hay dispositivos conectados.',
  characters: (units: number, room: number) => `${units} de ${room} caracteres`,
  segments: (segments: number) => (segments === 1 ? '1 segmento' : `${segments} segmentos`),
  encodings: { gsm7: 'GSM-7', ucs2: 'UCS-2' },
  tooLong: (most: number) => `Más de ${most} segmentos: no se puede enviar`,
  numberRule: 'Escriba el número con prefijo (+34600111222) o un número corto.',
  findDevice: 'Buscar dispositivo',
  chooser: {
    title: 'Buscar dispositivo',
    placeholder: 'UID, nombre, operador, número…',
    results: 'Dispositivos conectados',
    nothing: 'Ningún dispositivo conectado coincide.',
    more: (count: number) => `Hay ${count} más: escriba para acotar.`,
  },
  usedToday: (sent: string, most: string) => `${sent} de ${most} hoy`,
  ready: 'listo',
  /** The state of a device in a list. */
  hindered: {
    disabled: 'deshabilitado',
    maintenance: 'en mantenimiento',
    exhausted: 'límite alcanzado',
    radio: 'sin radio',
    quarantined: 'cuarentena',
  },
  /** What the state of the chosen device means for the message. */
  hindrances: {
    disabled: 'Está deshabilitado: el servidor rechazará el mensaje.',
    maintenance: 'Está en mantenimiento: el servidor rechazará el mensaje.',
    exhausted: 'Ha llegado a su límite de hoy: el servidor rechazará el mensaje.',
    radio: 'No tiene red: el mensaje puede fallar o tardar.',
    quarantined: 'Está en cuarentena porque fallaron varios mensajes: este puede fallar también.',
  },
  toNumber: 'Para',
  by: 'por',
  seeMessage: 'Ver mensaje',
  sent: 'Sus últimos envíos',
  templates: 'Plantilla',
  several: 'Varios números',
  /** The fields of a template that nothing fills. */
  unfilled: (fields: string) => `Falta rellenar: ${fields}`,
})
