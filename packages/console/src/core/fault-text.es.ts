import type { CallFault } from '@sdd/contract/core/client.ts'
import type { FieldCode } from '@sdd/contract/core/error-params.ts'
import type { ErrorCode } from '@sdd/contract/core/errors.ts'
import { formats } from '#console/core/formats.es.ts'
import { saidIn, sentenceOf, type Params, type Said, type Sentences } from '#console/core/said.ts'

const TRY_LATER = 'Inténtelo de nuevo en un momento.'
const GONE = 'Puede que otra persona lo haya borrado.'

export const refusals = {
  malformed: () => 'El servidor no entendió la petición.',
  unauthorized: () => 'La sesión ha terminado: entre de nuevo.',
  bad_credentials: () => 'Usuario o contraseña incorrectos.',
  second_factor_required: () => 'Hace falta también un código de su aplicación.',
  bad_code: () => 'El código no es correcto o ya se usó. Espere al siguiente.',
  password_change_required: () => 'Cambie primero su contraseña.',
  second_factor_setup_required: () => 'Active primero el segundo factor.',
  forbidden: () => 'No tiene permiso para hacer esto.',
  class_forbidden: () => 'La clave de API no puede enviar mensajes de esta clase.',
  proof_required: () => 'Confirme primero que es usted.',
  link_code_refused: () => 'El código de enlace no vale o ha caducado.',
  not_found: () => 'El servidor no tiene lo que se le pide.',
  unknown_device: () => `Ese dispositivo ya no existe. ${GONE}`,
  no_balance_query: () => 'Diga primero cómo se pregunta el saldo de esta SIM.',
  sim_away: () => 'Ningún dispositivo nombra ya esta SIM.',
  unknown_sim: () => 'Ningún dispositivo ha nombrado esa SIM.',
  unknown_user: () => `Ese usuario ya no existe. ${GONE}`,
  unknown_session: () => 'Esa sesión ya estaba cerrada.',
  unknown_message: () => 'No hay ningún mensaje con ese GUID.',
  unknown_company: () => 'Esa empresa no existe.',
  unknown_task: () => 'No hay ninguna tarea con ese GUID.',
  unknown_api_key: () => `Esa clave ya no existe. ${GONE}`,
  unknown_webhook: () => `Ese webhook ya no existe. ${GONE}`,
  unknown_callback: () => 'Esa entrega ya no existe.',
  unknown_opt_out: () => `Esa baja ya no existe. ${GONE}`,
  unknown_contact: () => 'Ese contacto no existe.',
  unknown_keyword: () => 'Esa palabra clave no existe.',
  unknown_template: () => 'Esa plantilla no existe.',
  unknown_link_code: () => 'Ese código de enlace ya no sirve.',
  unknown_conversation: () => 'No hay ninguna conversación con ese número.',
  unknown_campaign: () => 'Esa campaña no existe.',
  unknown_alert_rule: () => 'Esa regla no existe.',
  unknown_alert_channel: () => 'Ese canal no existe.',
  channel_in_use: () => 'Una regla de alertas usa este canal.',
  unknown_alert: () => 'Esa alerta no existe.',
  alert_resolved: () => 'Esa alerta ya está resuelta.',
  device_disconnected: ({ device, since }) =>
    `${named(device)} está desconectado${since ? ` desde ${since}` : ''}. Elija otro dispositivo.`,
  device_disabled: ({ device, since }) =>
    `${named(device)} está deshabilitado${since ? ` desde ${since}` : ''}. Habilítelo o elija otro.`,
  device_in_maintenance: ({ device, until }) =>
    `${named(device)} está en mantenimiento${until ? ` hasta ${until}` : ''}. Elija otro dispositivo.`,
  sending_disabled: ({ since, by }) =>
    `El envío está desactivado en los ajustes${since ? ` desde ${since}` : ''}${by ? ` por ${by}` : ''}. Actívelo para enviar.`,
  not_able: ({ device }) => `${named(device)} no puede hacer eso.`,
  order_under_way: () => 'El dispositivo aún no ha contestado a la orden anterior de este tipo.',
  uid_taken: () => 'Otro dispositivo ya usa ese UID.',
  word_taken: () => 'Esa palabra ya tiene un significado: elija otra.',
  name_taken: () => 'Ya hay otro usuario con ese nombre. Elija otro.',
  email_taken: () => 'Ya hay otro usuario con ese correo. Elija otro.',
  last_superadmin: () => 'Es el último superadmin que puede entrar: antes tiene que haber otro.',
  second_factor_on: () => 'El segundo factor ya está activo.',
  second_factor_off: () => 'El segundo factor no está activo.',
  second_factor_enforced: () => 'Su empresa exige el segundo factor: no se puede desactivar.',
  guid_taken: () => 'Otra tarea ya tiene ese GUID.',
  ambiguous_guid: () => 'Varias empresas tienen un mensaje con ese GUID.',
  task_not_discardable: ({ device }) =>
    device === undefined
      ? 'La tarea ya ha terminado: no se puede descartar.'
      : `${device} ya la ha aceptado: no se puede descartar.`,
  may_have_arrived: () => 'Puede que ese mensaje llegara. Reenvíelo solo si dos veces es mejor que ninguna.',
  not_repeatable: () => 'Ese mensaje no se puede volver a enviar.',
  wrong_state: () => 'La campaña ya está en otro estado: vuelva a mirarla.',
  rows_changed: ({ sendable }) =>
    `La campaña tiene ahora ${sendable ?? 'otras'} filas que enviar: vuelva a mirar la vista previa.`,
  upload_incomplete: () => 'La subida de las filas se interrumpió: súbalas otra vez.',
  routes_changed: () => 'Otra persona ha cambiado las rutas: vuelva a mirarlas y repita su cambio.',
  nothing_to_send: () => 'La campaña no tiene ninguna fila que se pueda enviar.',
  not_answerable: () => 'No se puede escribir a ese remitente: no es un número de teléfono.',
  too_large: () => 'Lo que se envía es demasiado grande.',
  unsupported_media_type: () => 'El servidor no acepta ese formato.',
  invalid: () => 'Algún dato no es válido: revíselo y vuelva a intentarlo.',
  confirm_required: () => 'Repita el código para confirmarlo.',
  too_many_tags: ({ max }) => `Un dispositivo puede tener ${max ?? 20} etiquetas como máximo.`,
  opted_out: ({ number, at, by }) =>
    `${number ?? 'Ese número'} está de baja${at ? ` desde ${at}` : ''}${by ? `, por ${by}` : ''}. No se le envía nada mientras no se quite la baja.`,
  no_consent: ({ number }) =>
    `No consta que ${number ?? 'este número'} consienta recibir marketing. Anótelo en su contacto.`,
  no_route: () => 'Las rutas no dejan salir ese mensaje.',
  destination_refused: () => 'Los destinos permitidos en los ajustes no incluyen ese número.',
  too_many_attempts: ({ retry_after }) =>
    `Demasiados intentos. Espere ${waitOf(retry_after)} antes de volver a probar.`,
  plan_used: ({ device, iccid, at, valid_until }) =>
    iccid === undefined
      ? 'Se ha agotado el plan de la SIM. Elija otro dispositivo o cambie el plan.'
      : valid_until === undefined
        ? `Se ha agotado el plan de la SIM ${iccid} de ${named(device)}${at ? `, que se renueva el ${at}` : ''}. Elija otro dispositivo o cambie el plan.`
        : `La SIM ${iccid} de ${named(device)} valía hasta el ${valid_until}. Elija otro dispositivo o cambie su fecha.`,
  daily_limit: ({ device, limit, sent, parts, until }) =>
    device === undefined || limit === undefined
      ? 'El dispositivo ha llegado a su límite diario. Elija otro o suba su límite en los ajustes.'
      : `${device} puede enviar ${limit} SMS al día y lleva ${sent ?? 0}; este ocupa ${parts ?? 1}. Elija otro dispositivo, suba su límite en los ajustes o espere${until ? ` hasta ${until}` : ' a mañana'}.`,
  recipient_limit: () => 'Ese número ya ha recibido hoy todos los mensajes que permiten los ajustes.',
  quota_reached: () => 'La empresa ha llegado a su cuota.',
  internal: () => `El servidor ha fallado. ${TRY_LATER}`,
  not_ready: () => `El servidor no está listo. ${TRY_LATER}`,
  busy: () => `El servidor está muy ocupado. ${TRY_LATER}`,
  disk_full: () => 'Al servidor no le queda espacio en el disco. Avise a quien lo mantiene.',
} satisfies Sentences<ErrorCode>

export const fieldFaults = {
  required: () => 'Este campo es obligatorio.',
  too_short: ({ min }) =>
    min === undefined ? 'Es demasiado corto.' : `Debe tener al menos ${min} caracteres.`,
  too_long: ({ max }) =>
    max === undefined ? 'Es demasiado largo.' : `Debe tener como mucho ${max} caracteres.`,
  out_of_range: ({ min, max }) =>
    min === undefined || max === undefined
      ? 'El valor está fuera de los límites.'
      : `Debe estar entre ${min} y ${max}.`,
  not_one_of: ({ values }) =>
    values ? `Debe ser uno de estos valores: ${values}.` : 'Ese valor no es posible.',
  number_format: () => 'Escriba el número con su prefijo (+34600111222), o un número corto.',
  email_format: () => 'Escriba una dirección como ana@example.com.',
  bad_format: () => 'El formato no es correcto.',
  too_many_segments: ({ segments, max }) =>
    segments === undefined || max === undefined
      ? 'El texto es demasiado largo.'
      : `Ocupa ${segments} segmentos y el máximo es ${max}: acórtelo.`,
  unknown_field: () => 'El servidor no conoce este campo.',
  taken: () => 'Ya está en uso. Elija otro.',
  common_password: () => 'Es fácil de adivinar. Elija otra, por ejemplo de varias palabras.',
  wrong: () => 'No es correcto.',
  confirm_required: () => 'Repita el código: puede mover saldo o cambiar la tarifa.',
  unchanged: () => 'Es la misma que la actual. Elija otra.',
  own_password: () => 'Su propia contraseña se cambia en su cuenta.',
  address_refused: () => 'El servidor no puede llamar a esa dirección.',
  needs_api_key: () => 'Solo puede indicarlo una clave de API.',
  too_many: ({ max }) =>
    max === undefined ? 'La empresa ya tiene el máximo.' : `La empresa ya tiene ${max}, que es el máximo.`,
  destination_refused: () => 'Los destinos permitidos en los ajustes no lo incluyen.',
  no_consent: () => 'No consta que consienta recibir marketing.',
} satisfies Sentences<FieldCode>

export const faults = {
  refusal(fault: CallFault): string | undefined {
    const said = saidIn(fault)
    return said.code === ''
      ? undefined
      : sentenceOf(refusals, said, {
          ...formats,
          otherwise: `El servidor lo ha rechazado (código ${said.code}).`,
        })
  },
  fields: (fault: CallFault) =>
    Object.fromEntries(saidIn(fault).fields.map(([name, said]) => [name, fieldFault(said)])),
}

function fieldFault(said: Said): string {
  const otherwise =
    said.code === '' ? 'Este valor no es válido.' : `Este valor no es válido (código ${said.code}).`
  return sentenceOf(fieldFaults, said, { ...formats, otherwise })
}

function named(device: Params[string]): string {
  return device ? `El dispositivo ${device}` : 'El dispositivo'
}

function waitOf(secs: Params[string]): string {
  if (typeof secs !== 'number') return 'un momento'
  if (secs < 90) return secs === 1 ? '1 segundo' : `${secs} segundos`
  return `${Math.ceil(secs / 60)} minutos`
}
