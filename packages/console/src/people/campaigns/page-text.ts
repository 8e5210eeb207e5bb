import type { RowFaultCode } from '@sdd/contract/people/campaign-rows.ts'
import { wording } from '#console/core/language.ts'

export const campaignPage = wording('campaignPage', {
  back: 'Campañas',
  loadFailed: 'No se pudo cargar la campaña.',
  unknown: 'Esa campaña no existe.',
  draft: 'Es un borrador: todavía no se ha enviado nada.',
  goOn: 'Seguir con el borrador',

  pause: 'Pausar',
  resume: 'Reanudar',
  stop: 'Detener…',
  paused: (held: number) =>
    held === 0
      ? 'En pausa. Ningún dispositivo tiene mensajes de esta campaña.'
      : held === 1
        ? 'En pausa. Los dispositivos aún tienen 1 mensaje, que sale igualmente.'
        : `En pausa. Los dispositivos aún tienen ${held} mensajes, que salen igualmente.`,
  resumed: 'Campaña reanudada.',
  undo: 'Deshacer',
  actFailed: 'No se pudo cambiar la campaña.',
  stopTitle: (name: string) => `¿Detener ${name}?`,
  stopLeft: (count: number, said: string) =>
    count === 1 ? '1 mensaje no se enviará nunca.' : `${said} mensajes no se enviarán nunca.`,
  stopHeld: (count: number, said: string) =>
    count === 1
      ? '1 mensaje está ya en un dispositivo y puede salir.'
      : `${said} mensajes están ya en los dispositivos y pueden salir.`,
  stopFinal: 'No se puede deshacer.',
  stopYes: 'Detener la campaña',

  progress: 'Progreso',
  done: (share: string) => `${share} hecho`,
  since: (at: string) => `desde ${at}`,
  withTag: (tag: string) => `grupo ${tag}`,
  withLists: (lists: string) => `listas ${lists}`,
  withFields: (fields: string) => `texto con ${fields}`,

  figures: {
    done: 'Hechos',
    ends: 'Termina',
    endsAbout: 'Termina hacia las',
    endsOn: (day: string) => `Termina ${day} hacia las`,
    begins: 'Empieza',
    took: 'Duró',
    stopped: 'Duró hasta detenerse',
    rate: 'Ritmo',
    delivered: 'Entregados',
    failed: 'Fallidos',
  },
  of: (total: string) => `de ${total}`,
  in: (span: string) => `en ${span}`,
  perHour: 'por hora',
  onAverage: (count: string) => `de media, ${count}`,
  ofDone: (share: string) => `${share} de lo hecho`,
  later: (span: string) => `${span} más que lo previsto`,
  earlier: (span: string) => `${span} menos que lo previsto`,
  limitedBy: {
    pacing: 'según la pausa entre mensajes',
    daily_limit: 'según los límites diarios',
    sending_hours: 'según el horario de envío',
    schedule: 'según la hora de las filas',
    devices: 'sin dispositivos: espera',
    sending_disabled: 'los envíos están desactivados',
  },

  whyEnds: (at: string) => `Por qué termina ${at}`,
  whyUnknown: 'Por qué no hay hora de fin',
  lastHanded: 'los dispositivos tienen los últimos',
  lastHandedMeans: 'Los dispositivos ya tienen los últimos mensajes: falta que informen del resultado.',
  perHourEach: (count: string) => `${count} por hora`,
  away: {
    offline: (since: string) => `fuera desde ${since}`,
    maintenance: 'en mantenimiento',
    quarantined: 'en cuarentena',
    daily_limit: 'límite diario alcanzado',
  },
  moreDevices: (count: string) => `y ${count} más`,
  noDevices: 'La empresa no tiene dispositivos activados.',
  remaining: (count: number, said: string) =>
    count === 1
      ? 'Falta 1 mensaje por entregar a un dispositivo.'
      : `Faltan ${said} mensajes por entregar a un dispositivo.`,
  remainingAt: (said: string, rate: string, span: string) =>
    `Faltan ${said} mensajes a ${rate} por hora: ${span}.`,
  brakes: {
    pacing: 'Lo marca la pausa entre mensajes: cabe en los límites de hoy y en el horario.',
    daily_limit: 'Lo marcan los límites diarios de los dispositivos.',
    sending_hours: 'Lo marca el horario de envío de la empresa.',
    schedule: 'Lo marca la hora pedida para empezar, o la de la última fila.',
    devices: 'Ningún dispositivo puede enviar ahora. Sigue en cuanto vuelva uno.',
    sending_disabled: 'Los envíos de la empresa están desactivados.',
  },
  ifOneBack: (uid: string, at: string) => `Si vuelve ${uid}, ${at}.`,
  ifAllBack: (at: string) => `Si vuelven todos, ${at}.`,
  addDevices: 'Añadir dispositivos',

  failures: 'Fallos por motivo',
  unsent: 'No se envían',
  retryable: (count: number, said: string) =>
    count === 1 ? 'Se puede reintentar 1' : `Se pueden reintentar ${said}`,
  notRetried: 'No se reintenta',
  retry: (count: string) => `Reintentar ${count}`,
  retryOf: (count: string, reason: string) => `Reintentar ${count}: ${reason}`,
  retryTitle: 'Crea un borrador con ellos. Deja fuera los números no válidos y los inciertos.',
  retryLater: 'Se puede reintentar cuando la campaña termine o se detenga.',
  retryFailed: 'No se pudo crear el borrador.',
  download: (count: string) => `Descargar ${count}`,
  skips: {
    invalid: 'Fila no válida',
    repeated: 'Número repetido',
    opted_out: 'De baja',
    no_consent: 'Sin consentimiento',
    recipient_limit: 'Límite de mensajes al número',
  } as Record<string, string>,

  table: 'Mensajes de la campaña',
  all: 'Todos',
  search: 'Número, nombre',
  reason: (reason: string) => `Motivo: ${reason}`,
  noReason: (reason: string) => `Quitar el motivo ${reason}`,
  rowsFailed: 'No se pudieron cargar las filas.',
  noRows: 'La campaña no tiene filas.',
  noRowsFiltered: 'Ninguna fila cumple el filtro.',
  /** `more`: none of the rows that are shown is among those loaded. */
  fresh: (count: number, more: boolean) =>
    count === 1 && !more ? '1 nueva' : `${count}${more ? '+' : ''} nuevas`,
  freshSaid: 'Hay filas nuevas',
  openRow: (row: string) => `Abrir la fila ${row}`,
  copied: (number: string) => `${number} copiado`,
  hints: '/ buscar · j / k mover · Enter abrir · c copiar · p pausar o reanudar',
  columns: {
    row: 'Fila',
    state: 'Estado',
    number: 'Destino',
    name: 'Nombre',
    device: 'Dispositivo',
    at: 'Hora',
    outcome: 'Motivo o respuesta',
  },
  states: {
    pending: 'Por hacer',
    skipped: 'No se envía',
    queued: 'En cola',
    handed: 'En el dispositivo',
    sent: 'Enviado',
    delivered: 'Entregado',
    replied: 'Respondido',
    failed: 'Fallido',
    uncertain: 'Incierto',
    expired: 'Caducado',
    cancelled: 'Cancelado',
  },
  answer: (text: string) => `«${text}»`,
  faults: {
    invalid_number: 'No puede ser un número de teléfono',
    missing_field: 'Falta un campo del texto',
    too_long: 'El texto es demasiado largo',
    invalid_at: 'La hora no es válida',
    invalid: 'La fila no es válida',
    destination_refused: 'La empresa no escribe a esos números',
    no_route: 'Las rutas no los dejan salir',
  } satisfies Record<RowFaultCode, string>,
  faultField: (said: string, field: string) => `${said}: ${field}`,
  toLog: 'Ver en Logs',
  noText: 'El texto no se puede componer.',

  file: {
    text: 'Texto',
    reason: 'Código',
    guid: 'Identificador',
    error: 'Explicación',
    reply: 'Respuesta',
  },
})
