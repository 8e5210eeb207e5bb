import type { Callback, LastErrorCode } from '@sdd/contract/outward/callbacks.ts'
import { type Sentences, paramsIn, typedSentence } from '#console/core/said.ts'

/** Why the last try failed, from the code; undefined if it had no error. */
export function lastError({
  last_error,
  last_error_code: code,
  last_error_params,
}: Pick<Callback, 'last_error' | 'last_error_code' | 'last_error_params'>): string | undefined {
  if (!code && !last_error) return undefined
  const sentence = typedSentence(lastErrors, code, paramsIn(last_error_params))
  return sentence ?? (code ? `No llegó (código ${code}).` : 'No llegó.')
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
  answer_not_sent: () => 'Su respuesta no se pudo enviar por SMS en ese momento.',
  not_tried: () => 'El servidor no pudo intentarlo.',
  other: ({ text }) => `No llegó: «${text}»`,
} satisfies Sentences<LastErrorCode>
