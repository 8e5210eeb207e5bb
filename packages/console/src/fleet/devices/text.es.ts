import type { Device } from '@sdd/contract/fleet/devices.ts'
import { formats } from '#console/core/formats.es.ts'
import { paramsIn, sentenceOf, type Params, type Sentences } from '#console/core/said.ts'

export const devices = {
  title: 'Dispositivos',
  search: 'Buscar por UID',
  columns: {
    id: 'ID',
    uid: 'UID',
    status: 'Estado',
    location: 'Ubicación',
    created_at: 'Alta',
    enabled: 'Habilitado',
    last_seen_at: 'Último contacto',
    carrier: 'Operador',
    signal: 'Señal',
    sent_today: 'Hoy / límite',
    actions: 'Acciones',
  },
  empty: 'No hay dispositivos.',
  loadFailed: 'No se pudo cargar la lista de dispositivos.',
  enableFailed: (uid: string) => `No se pudo habilitar ${uid}. Sigue deshabilitado.`,
  disableFailed: (uid: string) => `No se pudo deshabilitar ${uid}. Sigue habilitado.`,
  details: 'Detalles',
  send: 'Enviar SMS',
  detailsOf: (uid: string) => `Detalles de ${uid}`,
  sendBy: (uid: string) => `Enviar SMS por ${uid}`,
  nowEnabled: (uid: string) => `${uid} habilitado`,
  nowDisabled: (uid: string) => `${uid} deshabilitado`,
  link: 'Vincular dispositivo',
  undo: 'Deshacer',
  viewOptions: 'Columnas y orden',
  disabledShort: 'deshabilitado',
  limitReached: (sent: string, limit: string) => `límite ${sent}/${limit}`,
  hindrances: {
    disabled: 'Está deshabilitado: no envía hasta que se habilite.',
    maintenance: 'Está en mantenimiento: no recibe mensajes hasta que termine.',
    exhausted: 'Ha llegado a su límite de hoy.',
    radio: 'Su radio no está lista.',
    quarantined: 'Está en cuarentena por fallos seguidos.',
  },
  carrierFilter: (carrier: string, connected: string, size: string) =>
    `${carrier} ${connected}/${size}: filtrar`,
  legendFilter: (state: string) => `${state}: filtrar`,
  enabled: (uid: string) => `${uid} habilitado`,
  networks: (uid: string) => `Redes de ${uid}`,
  copied: (uid: string) => `${uid} copiado`,
  fleet: 'Flota',
  fleetCount: (count: string) => (count === '1' ? '1 dispositivo' : `${count} dispositivos`),
  fleetOne: 'cada barra es uno, más intensa cuanto más envía',
  fleetMany: (count: number) => `cada barra representa ${count}`,
  noCarrier: 'Sin operador',
  noAgent: 'Sin agente conocido',
  agents: 'Versiones del agente',
  otherCarriers: 'Otros',
  filterLabel: 'Filtrar por estado',
  ofThem: 'de ellos:',
  filters: {
    all: 'Todos',
    connected: 'Conectados',
    disconnected: 'Desconectados',
    disabled: 'Deshabilitados',
    maintenance: 'En mantenimiento',
    exhausted: 'En el límite',
    quarantined: 'En cuarentena',
  },
  quarantined: 'En cuarentena',
  inboxSlowed: 'Recibe demasiados SMS',
  inboxSlowedMeans: (time: string) =>
    `Se le admiten 60 SMS recibidos por minuto, y el ${time} envió más. Los demás esperan en el dispositivo y no se pierden.`,
  quarantinedShort: 'cuarentena',
  radioDown: 'sin radio',
  radioSays: (says: string) => `«${says}»`,
  quarantinedUntil: (time: string) => `En cuarentena hasta ${time}`,
  quarantineReason: ({ quarantine_reason_code: code, quarantine_reason_params }: Partial<Device>) =>
    code
      ? sentenceOf(
          quarantineReasons,
          { code, params: paramsIn(quarantine_reason_params) },
          { ...formats, otherwise: 'Fallaron varios mensajes seguidos.' },
        )
      : undefined,
  quarantineMeans: (time: string) =>
    `No se le dan tareas hasta ${time}; después se prueba con un solo mensaje. Para quitar la cuarentena, vuelva a habilitarlo.`,
  maintenanceShort: 'mantenimiento',
  maintenanceUntil: (time: string) => `En mantenimiento hasta ${time}`,
  maintenanceMeans:
    'No recibe mensajes ni abre alertas: los que solo él puede enviar esperan. Termina por sí solo.',
  endMaintenance: 'Terminar mantenimiento',
  maintenanceStays: 'No se pudo terminar el mantenimiento.',
  tagFilter: 'Filtrar por etiqueta',
  allTags: 'Todas las etiquetas',
  tags: 'Etiquetas',
  legend: {
    connected: 'Conectado',
    disconnected: 'Desconectado',
    disabled: 'Deshabilitado',
    maintenance: 'En mantenimiento',
  },
}

const quarantineReasons = {
  failures_in_row: ({ failures, last }) =>
    `Fallaron ${failures ?? 'varios'} mensajes seguidos. El último: ${failureOf(last)}.`,
} satisfies Sentences<NonNullable<Device['quarantine_reason_code']>>

const failures: Record<string, string> = {
  failed: 'el dispositivo no dio motivo',
  modem_error: 'falló el módem',
  no_network: 'no había red móvil',
  timeout: 'el módem no respondió a tiempo',
  unknown_outcome: 'no se sabe si salió',
}

/** `code`, or `code: the device's own words`. */
function failureOf(last: Params[string]): string {
  const [code = '', ...words] = String(last ?? 'failed').split(': ')
  const why = Object.hasOwn(failures, code) ? failures[code]! : `código ${code}`
  return words.length === 0 ? why : `${why} («${words.join(': ')}»)`
}

export const networks = {
  wifi: 'Wi-Fi',
  mobile: 'Red móvil',
  sim: 'SIM',
  noWifi: 'Sin datos de la red Wi-Fi',
  noMobile: 'Sin datos de la red móvil',
  loadFailed: 'No se pudieron cargar las redes.',
  activity: 'Actividad',
  toPage: 'Su página: SIM, órdenes y gráficos',
  ssid: 'SSID',
  intensity: 'Intensidad',
  band: 'Banda',
  frequency: 'Frecuencia',
  link_speed: 'Velocidad',
  bssid: 'BSSID',
  ip_address: 'IP',
  captured_at: 'Medido',
  id: 'ID',
  slot: 'Ranura',
  carrier: 'Operador',
  operator_name: 'Red del operador',
  phone_number: 'Número',
  iccid: 'ICCID',
  roaming: 'Itinerancia',
  network_type_label: 'Tipo de red',
  sent_today: 'Enviados hoy',
  queued: 'En cola',
  agent: 'Agente',
  radio: 'Radio',
  last_seen_at: 'Último contacto',
}
