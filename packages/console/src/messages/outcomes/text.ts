import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { wording } from '#console/core/language.ts'
import { typedSentence } from '#console/core/said.ts'
import type { FailureFields, NotesFields } from './outcomes.ts'
import { failures } from './spanish.ts'

const causes: Record<string, string> = {
  no_network: 'Sin red',
  modem_error: 'Error del módem',
  timeout: 'El módem no respondió',
  unknown_outcome: 'Resultado desconocido',
  no_report: 'El dispositivo no informó',
  expired: 'Caducado sin entregarse',
  no_sim: 'Sin SIM',
  sim_barred: 'SIM bloqueada',
  no_credit: 'SIM sin saldo',
  invalid_destination: 'Destino no válido',
  invalid_number: 'Número no válido',
  invalid_text: 'Texto no válido',
  absent_subscriber: 'Destinatario apagado o sin cobertura',
  partly_sent: 'Salió solo una parte',
  cancelled: 'Cancelado',
  device_unlinked: 'Dispositivo desvinculado',
  opted_out: 'Número de baja',
  no_consent: 'Sin consentimiento',
}

/** What became of messages. Times in sentences are ISO 8601. By default, notes and attempts are in the server's words. */
export const outcomes = wording('outcomes', {
  /** Why a message failed, from the code, or in the words of a server that gives none; undefined if it did not. */
  errorMsg,
  /** The same with the error's code, if the sentence does not imply it. */
  failure: (fields: FailureFields): string | undefined =>
    [fields.error, errorMsg(fields)].filter(Boolean).join(' · ') || undefined,
  /** The lines of the notes. */
  notes: ({ notes }: NotesFields): string | undefined => notes || undefined,
  /** One attempt: `said` in the server's words without its start, and the same as facts if they are known. */
  attempt: (said: string, _facts?: AttemptDetail): string => said,
  /** The error's code in a record. */
  errorCode: (code: string): string => code,
  /** The name of a cause of failures, by its code. */
  cause(code: string): string {
    if (code === '') return 'Sin código'
    if (Object.hasOwn(causes, code)) return causes[code]!
    return /^\d+$/.test(code) ? `Código ${code}` : code
  },
  /** The words of a device, of the network or of a person. */
  quoted: (words: string): string => words,
})

/** The words of a device need no sentence around them. */
function errorMsg({ error_msg, error_msg_code, error_msg_params }: FailureFields): string | undefined {
  const sentence = error_msg_code === 'device_said' ? undefined : error_msg_code
  return (typedSentence(failures, sentence, error_msg_params) ?? error_msg) || undefined
}
