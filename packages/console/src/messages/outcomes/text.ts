import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { wording } from '#console/core/language.ts'
import type { FailureFields, NotesFields } from './outcomes.ts'

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

/** What became of messages. Times in sentences are ISO 8601. By default in the server's words. */
export const outcomes = wording('outcomes', {
  /** Why a message failed; undefined if it did not. */
  errorMsg: ({ error_msg }: FailureFields): string | undefined => error_msg || undefined,
  /** The same with the error's code, if the sentence does not imply it. */
  failure: ({ error, error_msg }: FailureFields): string | undefined =>
    [error, error_msg].filter(Boolean).join(' · ') || undefined,
  /** The lines of the notes. */
  notes: ({ notes }: NotesFields): string | undefined => notes || undefined,
  /** One attempt: `said` in the server's words without its start, and the same as facts if they are known. */
  attempt: (said: string, _facts?: AttemptDetail): string => said,
  /** The error's code in a record. */
  errorCode: (code: string): string => code,
  /** The name of a cause of failures, by its code. */
  cause: (code: string): string =>
    code === '' ? 'Sin código' : (causes[code] ?? (/^\d+$/.test(code) ? `Código ${code}` : code)),
  /** The words of a device, of the network or of a person. */
  quoted: (words: string): string => words,
})
