import { typedSentence } from '#console/core/said.ts'
import type { FailureSentences } from './outcomes.ts'

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
