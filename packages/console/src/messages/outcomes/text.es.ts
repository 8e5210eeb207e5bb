import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { typedSentence } from '#console/core/said.ts'
import type { FailureFields, NotesFields, NoteSentences } from './outcomes.ts'
import { failures } from './spanish.ts'

export const notes: NoteSentences = {
  given: ({ attempt, device }) => `Intento ${attempt}: orden enviada a ${device}`,
  failed: ({ attempt, code, device }) =>
    `Intento ${attempt}: falló en ${device} (${inSentence(cause(code))})`,
  retry: ({ at }) => `Se vuelve a intentar el ${at}`,
  late: ({ attempt, state, device }) =>
    `Intento ${attempt}: ${outcome(state)} en ${device}, informado con retraso`,
  discarding: ({ attempt, by, device }) =>
    `Intento ${attempt}: ${by} lo descartó; se pide a ${device} que no lo envíe`,
  blocked: ({ attempt, device }) =>
    `Intento ${attempt}: el número está de baja; se pide a ${device} que no lo envíe`,
  unconsented: ({ attempt, device }) =>
    `Intento ${attempt}: se retiró el consentimiento; se pide a ${device} que no lo envíe`,
  ended: ({ error }) => `Terminó: ${inSentence(cause(error))}`,
}

const causes: Record<string, string> = {
  no_network: 'Sin red',
  modem_error: 'Error del módem',
  timeout: 'El módem no respondió',
  unknown_outcome: 'Resultado desconocido',
  partly_sent: 'Salió solo una parte',
  no_report: 'El dispositivo no informó',
  expired: 'Caducado',
  no_sim: 'Sin SIM',
  sim_barred: 'SIM bloqueada',
  no_credit: 'SIM sin saldo',
  invalid_destination: 'Destino no válido',
  invalid_number: 'Número no válido',
  invalid_text: 'Texto no válido',
  absent_subscriber: 'Destinatario apagado o sin cobertura',
  cancelled: 'Cancelado',
  device_unlinked: 'Dispositivo desvinculado',
  opted_out: 'Número de baja',
  no_consent: 'Sin consentimiento',
}

const results: Record<string, string> = {
  accepted: 'aceptado',
  sent: 'enviado',
  delivered: 'entregado',
  replied: 'respondido',
  undelivered: 'no entregado',
  failed: 'fallido',
  uncertain: 'incierto',
  expired: 'caducado',
  cancelled: 'cancelado',
}

export const outcomes = {
  errorMsg,
  failure(fields: FailureFields): string | undefined {
    const { error, error_msg_code: code } = fields
    const implied = code && code !== 'device_said' && code !== 'undelivered'
    return [error && !implied ? cause(error) : '', errorMsg(fields)].filter(Boolean).join(' · ') || undefined
  },
  notes: ({ notes: text, notes_codes }: NotesFields): string | undefined =>
    notes_codes
      ?.map(({ at, code, params }) => `${at} ${typedSentence(notes, code, params) ?? code}`)
      .join('\n') || (text ? `«${text}»` : undefined),
  attempt: (said: string, facts?: AttemptDetail): string => (facts ? attemptOf(facts) : `«${said}»`),
  errorCode: cause,
  cause,
  quoted: (words: string): string => `«${words}»`,
}

function errorMsg({ error_msg, error_msg_code, error_msg_params }: FailureFields): string | undefined {
  return (
    typedSentence(failures, error_msg_code, error_msg_params) ?? (error_msg ? `«${error_msg}»` : undefined)
  )
}

function cause(code: string): string {
  if (code === '') return 'Sin código'
  return Object.hasOwn(causes, code) ? causes[code]! : `Código ${code}`
}

function outcome(state: string): string {
  return results[state] ?? state
}

function attemptOf({ device, sim, accepted_at, sent_at, delivered_at, state, code, detail }: AttemptDetail) {
  return [
    device,
    sim && `SIM ${sim}`,
    accepted_at && `aceptado el ${accepted_at}`,
    sent_at && `enviado el ${sent_at}`,
    delivered_at && `${state === 'undelivered' ? 'no entregado' : 'entregado'} el ${delivered_at}`,
    ((state === 'undelivered' && !delivered_at) || state === 'failed') && outcome(state),
    code && inSentence(cause(code)),
    detail && `«${detail}»`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** With a small first letter, unless the word is an abbreviation. */
function inSentence(words: string): string {
  return /^\p{Lu}{2}/u.test(words) ? words : words.charAt(0).toLowerCase() + words.slice(1)
}
