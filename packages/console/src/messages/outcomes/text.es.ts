import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { typedSentence } from '#console/core/said.ts'
import type { FailureFields, FailureSentences, NotesFields, NoteSentences } from './outcomes.ts'

/** Failures without facts. */
const simple = {
  unknown_outcome: () =>
    'El dispositivo no sabe si salió, así que no se envía de nuevo. Un informe de entrega lo aclararía.',
  cancelled: () => 'Se canceló en el dispositivo antes de salir.',
  expired: () => 'Caducó en el dispositivo antes de salir.',
  no_network: () => 'El dispositivo no tenía red.',
  modem_error: () => 'El módem lo rechazó.',
  timeout: () => 'El módem no respondió a tiempo.',
}

const BLOCKED = 'No se le envía nada mientras no se quite la baja en los ajustes.'

export const failures: FailureSentences = {
  ...simple,
  discarded: ({ by }) => `${by} lo descartó antes de que llegara a un dispositivo.`,
  unlinked_before: ({ device }) => `${device} se desvinculó antes de recibirlo.`,
  unlinked_after: ({ device }) => `${device} se desvinculó antes de informar el resultado.`,
  not_handed_over: ({ expires_at }) => `Caducó el ${expires_at} sin llegar a ningún dispositivo.`,
  no_report: ({ device }) =>
    `${device} lo aceptó y no ha informado el resultado. No se envía de nuevo; un informe posterior lo aclararía.`,
  blocked: ({ number, by, at }) =>
    `${number} está de baja desde el ${at}${by === null ? '' : `, por ${by}`}. ${BLOCKED}`,
  opted_out: ({ number, text, device, at }) =>
    `${number} pidió la baja con el SMS «${text}», que ${device} recibió el ${at}. ${BLOCKED}`,
  no_consent: ({ number }) => `Ya no consta que ${number} consienta recibir marketing.`,
  failed: ({ code }) => `El dispositivo no pudo enviarlo (código ${code}).`,
  undelivered: ({ reason }) => `La red no lo entregó: «${reason}».`,
  partly_sent: ({ parts, why, why_code }) =>
    `${parts === 1 ? 'Ya había salido 1 parte' : `Ya habían salido ${parts} partes`}, así que no se envía de nuevo. Después: ${typedSentence(simple, why_code as keyof typeof simple, {}) ?? `«${why}»`}`,
  device_said: ({ text }) => `«${text}»`,
}

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
  return code === '' ? 'Sin código' : (causes[code] ?? `Código ${code}`)
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
