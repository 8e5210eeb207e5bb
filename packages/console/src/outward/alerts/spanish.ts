import type { ChannelFault } from '@sdd/contract/outward/alert-channels.ts'
import { typedSentence } from '#console/core/said.ts'
import { callbackFault, type ChannelFaultSentences, smsFailure } from './faults.ts'

/** Why a message to a channel did not arrive. The words of the other side stay as they are. */
export function channelFault(fault: ChannelFault): string | undefined {
  return (
    typedSentence(sentences, fault.detail_code as keyof ChannelFaultSentences, fault.detail_params) ??
    callbackFault(fault)
  )
}

const sentences: ChannelFaultSentences = {
  no_smtp: () => 'El servidor no tiene SMTP_URL, así que no envía correo.',
  no_device: () => 'Ningún dispositivo puede enviar un SMS ahora.',
  sms_late: ({ secs }) => `El dispositivo no ha enviado el SMS en ${secs} s.`,
  sms_ended: ({ state, ...facts }) =>
    [states[state] ?? `El SMS terminó (${state}).`, smsFailure(facts)].filter(Boolean).join(' '),
  sms_removed: () => 'Se borró el SMS.',
  destination_refused: ({ number, prefix }) =>
    prefix === null
      ? `${number} no empieza por ningún prefijo permitido: no se le envía nada.`
      : `${number} empieza por ${prefix}, un prefijo prohibido: no se le envía nada.`,
  not_needed: () => 'Sus alertas ya están resueltas o tienen un «Enterado».',
  not_named: () => 'La regla ya no nombra este canal.',
}

const states: Record<string, string> = {
  failed: 'El SMS falló.',
  uncertain: 'No se sabe si el SMS salió.',
  expired: 'El SMS caducó.',
  cancelled: 'El SMS se descartó.',
}
