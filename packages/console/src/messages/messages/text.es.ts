import type { CallFault } from '@sdd/contract/core/client.ts'
import { refusalOf } from './refusal.ts'
import { faults } from '#console/core/fault-text.es.ts'

export const send = {
  title: 'Enviar SMS',
  device: 'Dispositivo',
  choose: 'Elija un dispositivo',
  phone: 'Teléfono',
  phonePlaceholder: '+34...',
  message: 'Mensaje',
  submit: 'Enviar',
  sending: 'Enviando…',
  success: 'Mensaje aceptado',
  failure: 'No se pudo enviar',
  accepted: () => 'El mensaje se está enviando.',
  answered: (status: string) => `El servidor respondió: «${status}»`,
  refusal: (fault: CallFault) =>
    refusalOf(fault, faults, { device_uid: 'Dispositivo', telefono_to: 'Teléfono', mensaje_sms: 'Mensaje' }),
  unreadable: 'respuesta ilegible',
  refused: (status: number, statusText: string) => `Error ${status}: ${statusText}`,
  through: 'Dispositivo',
  gone: (uid: string) => `${uid} se ha desconectado: elija otro.`,
  noneConnected: 'Ahora no hay dispositivos conectados.',
  characters: (units: number, room: number) => `${units} de ${room} caracteres`,
  segments: (segments: number) => (segments === 1 ? '1 segmento' : `${segments} segmentos`),
  encodings: { gsm7: 'GSM-7', ucs2: 'UCS-2' },
  tooLong: (most: number) => `Más de ${most} segmentos: no se puede enviar`,
}
