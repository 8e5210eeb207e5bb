import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'
import { wording } from '#console/core/language.ts'

export const openAlerts = wording('openAlerts', {
  title: 'Alertas',
  open: (count: string) => (count === '1' ? '1 abierta' : `${count} abiertas`),
  label: (count: string) => (count === '1' ? 'Alertas: 1 abierta' : `Alertas: ${count} abiertas`),
  arrived: (title: string) => `Alerta nueva: ${title}`,
  arrivedSeveral: (count: number) => `${count} alertas nuevas`,

  /** The problem of one subject. */
  one: {
    device_away: (name: string) => `${name} desconectado`,
    radio_not_ready: (name: string) => `${name}: radio no disponible`,
    device_quarantined: (name: string) => `${name} en cuarentena`,
    failure_rate: (name: string) => `Fallan los mensajes de ${name}`,
    queue_age: (name: string) => `La cola de ${name} no avanza`,
    daily_limit_used: (name: string) => `Límite diario de ${name}`,
    plan_used: (name: string) => `Plan de la SIM ${name}`,
    sim_expires: (name: string) => `Validez de la SIM ${name}`,
    balance_low: (name: string) => `Saldo bajo: SIM ${name}`,
    webhook_failing: (name: string) => `Webhook sin respuesta: ${name}`,
    backup_age: () => 'Copia de seguridad antigua',
    disk_short: () => 'Disco casi lleno',
    certificate_expires: () => 'Certificado a punto de caducar',
  } satisfies Record<AlertCondition, (name: string) => string>,
  /** The same of several. */
  several: {
    device_away: (count: number) => `${count} dispositivos desconectados`,
    radio_not_ready: (count: number) => `${count} dispositivos sin radio disponible`,
    device_quarantined: (count: number) => `${count} dispositivos en cuarentena`,
    failure_rate: (count: number) => `Fallan los mensajes de ${count} dispositivos`,
    queue_age: (count: number) => `${count} colas no avanzan`,
    daily_limit_used: (count: number) => `Límite diario de ${count} dispositivos`,
    plan_used: (count: number) => `Plan de ${count} SIM`,
    sim_expires: (count: number) => `Validez de ${count} SIM`,
    balance_low: (count: number) => `${count} SIM con saldo bajo`,
    webhook_failing: (count: number) => `${count} webhooks sin respuesta`,
    backup_age: () => 'Copia de seguridad antigua',
    disk_short: () => 'Disco casi lleno',
    certificate_expires: () => 'Certificado a punto de caducar',
  } satisfies Record<AlertCondition, (count: number) => string>,

  failed: (failed: string, over: string) => `${failed} de los últimos ${over} mensajes`,
  oldest: (since: string) => `un mensaje espera ${since}`,
  sent: (sent: string, limit: string) => `${sent} de ${limit} SMS de hoy`,
  used: {
    parts: (used: string, limit: string) => `${used} de ${limit} partes`,
    recipients: (used: string, limit: string) => `${used} de ${limit} destinatarios`,
  },
  validUntil: (day: string) => `válida hasta el ${day}`,
  noCredit: 'sin saldo',
  tries: (count: string) => `${count} intentos seguidos fallaron`,
  noBackup: 'todavía no hay ninguna',
  lastBackup: (at: string) => `la última es del ${at}`,
  free: (mib: string) => `quedan ${mib} MiB`,
  expires: (at: string) => `caduca el ${at}`,

  since: (at: string) => `desde las ${at}`,
  sinceDay: (at: string) => `desde el ${at}`,
  waiting: (count: number, more: boolean) =>
    count === 0
      ? 'nada espera'
      : count === 1
        ? '1 mensaje espera'
        : `${count}${more ? ' o más' : ''} mensajes esperan`,
  others: (count: number) => `y ${count} más`,
  told: (names: string) => `Avisado: ${names}`,
  lost: (name: string, why: string) => `Sin aviso: ${name}${why && ` (${why.replace(/\.$/, '')})`}`,
  toTell: (names: string) => `Falta avisar: ${names}`,
  nobody: 'No se avisa a nadie',
  toldAt: (at: string) => `Avisado: ${at}`,
  goneChannel: 'un canal borrado',

  acknowledge: 'Enterado',
  acknowledgeNamed: (title: string) => `Enterado: ${title}`,
  acknowledgeAll: 'Enterado de todas',
  acknowledgedBy: (name: string, at: string) => `Enterado: ${name}, ${at}`,
  acknowledgeFailed: 'No se pudo marcar «Enterado».',
  over: (at: string) => `Resuelta: ${at}`,

  resolved: 'Resueltas',
  noneOpen: 'Nada abierto.',
  lastOne: (ago: string) => `La última, ${ago}.`,
  none: 'Todavía no ha habido ninguna.',
  unwatched: 'Todavía no se vigila nada: añada una regla.',
  span: (from: string, to: string, length: string) => `${from} – ${to}, ${length}`,
  more: 'Más resueltas',
  rules: 'Reglas',
  failedLoad: 'No se pudieron cargar las alertas.',
  failedResolved: 'No se pudieron cargar las resueltas.',
})
