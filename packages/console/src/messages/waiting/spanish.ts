import type { WaitingFacts, WaitingSentences } from './waiting.ts'

/** The Spanish sentences, which both the specification's wording and the Spanish one use. */
export const sentences: WaitingSentences = {
  sending_off: ({ since, expires_at }) =>
    `El envío está desactivado en los ajustes desde el ${since}. Sale cuando se active; ${orExpires(expires_at)}`,
  sending_hours: ({ until, class: kind }) =>
    `Está fuera del horario de envío ${kind === 'marketing' ? 'de marketing' : 'de los mensajes transaccionales'}. Sale a partir del ${until}.`,
  campaign_paused: () => 'Su campaña está en pausa.',
  usual_device: ({ device, until }) =>
    `Hasta el ${until} espera a ${device}, el último que escribió a este número. Después pueden enviarlo otros.`,
  not_before: ({ at }) => `No debe salir antes del ${at}: así se pidió.`,
  retry: ({ attempt, device, at }) =>
    `El intento ${attempt} falló${device === null ? '' : ` en ${device}`}. Se vuelve a intentar el ${at}, con otro dispositivo si lo hay.`,
  no_device: ({ expires_at }) =>
    `No hay ningún dispositivo vinculado. Sale cuando haya uno; ${orExpires(expires_at)}`,
  no_sim: ({ number, expires_at }) =>
    `Ningún dispositivo tiene la SIM ${number}. Sale cuando alguno la tenga; ${orExpires(expires_at)}`,
  route: ({ tag, number, expires_at }) =>
    tag === null
      ? `Su ruta rechaza estos mensajes. Sale si cambian las rutas; ${orExpires(expires_at)}`
      : `Ningún dispositivo tiene la etiqueta ${tag}${number ? ` y la SIM ${number}` : ''}. Sale cuando alguno ${number ? 'las' : 'la'} tenga; ${orExpires(expires_at)}`,
  none_can: sayNoneCan,
  maintenance: ({ device, at }) => `${device} está en mantenimiento hasta el ${at}. Sale entonces.`,
  plan_used: ({ iccid, at, valid_until }) =>
    valid_until === undefined
      ? `Se ha agotado el plan de la SIM ${iccid}. Se renueva el ${at} y sale entonces, o cuando se amplíe el plan.`
      : `La SIM ${iccid} valía hasta el ${valid_until}. Sale cuando se cambie su fecha, o por otra SIM.`,
  over_limits: ({ parts, most }) =>
    `Ocupa ${parts} SMS y ningún dispositivo puede enviar más de ${most} al día. Aumente un límite en los ajustes.`,
  no_room: ({ parts, at }) =>
    `Ocupa ${parts} SMS, y a ningún dispositivo le quedan tantos de su límite diario. ${goesOn(at)}`,
  window_full: ({ window, waiting }) =>
    `Todos los dispositivos que podrían enviarlo ya tienen ${window} mensajes en curso. Sale cuando termine uno; ${inLine(waiting)}`,
  pacing: ({ every_secs, at, waiting }) =>
    `Cada dispositivo recibe un mensaje cada ${every_secs} s. El próximo turno es el ${at}; ${inLine(waiting)}`,
  next: ({ since, waiting }) => `Es el siguiente desde el ${since}; ${inLine(waiting)}`,

  device_unlinked: () => 'Su dispositivo ya no está vinculado.',
  device_offline: ({ device, since, expires_at }) =>
    `${device} está desconectado desde el ${since}. Sale cuando vuelva; ${orExpires(expires_at)}`,
  device_disabled: ({ device, since, expires_at }) =>
    `${device} está deshabilitado desde el ${since}. Sale cuando se habilite; ${orExpires(expires_at)}`,
  device_limit: ({ device, sent, limit, at }) =>
    `${device} llegó a su límite diario: lleva ${sent} SMS de ${limit}. Continúa el ${at}.`,
  over_device_limit: ({ device, parts, limit }) =>
    `Ocupa ${parts} SMS y ${device} puede enviar ${limit} al día. Aumente su límite en los ajustes.`,
  retry_at: ({ at }) => `Se vuelve a intentar el ${at}.`,
  device_window: ({ device, window }) =>
    `${device} ya tiene ${window} mensajes en curso. Sale cuando termine uno.`,
  device_pacing: ({ device, every_secs, at, waiting }) =>
    `${device} recibe un mensaje cada ${every_secs} s. El próximo turno es el ${at}; ${inLine(waiting)}`,
  device_next: ({ device, since }) => `Es el siguiente en la cola de ${device} desde el ${since}.`,

  unconfirmed: sayUnconfirmed,
  accepted: ({ device, since, offline_since }) =>
    `${device} lo aceptó el ${since} y aún no ha informado el resultado.${isAway(offline_since)}`,
  discarding: ({ device, since, offline_since }) =>
    `Desde el ${since} ya no debe salir, pero ya lo tenía ${device}. Hasta que responda, se le repite que no lo envíe.${isAway(offline_since)}`,
}

export const reasons = {
  sending_off: 'Envío desactivado',
  later: 'Para más tarde',
  no_device: 'Sin dispositivo o sin esa SIM',
  maintenance: 'Dispositivo en mantenimiento',
  device_offline: 'Dispositivo desconectado',
  device_disabled: 'Dispositivo deshabilitado',
  daily_limit: 'Límite diario alcanzado',
  plan_used: 'Plan de la SIM agotado',
  quarantined: 'Dispositivo en cuarentena',
  window_full: 'Ya tiene 10 en curso',
  pacing: 'Pausa entre envíos',
  next: 'A punto de salir',
}

function sayNoneCan(facts: WaitingFacts<'none_can'>): string {
  const { devices, offline, disabled, at_limit, maintenance = 0, at, since, expires_at } = facts
  const why = obstacles(facts)
  const expires = orExpires(expires_at)
  const any = devices > 1 ? ' alguno' : ''
  if (offline === devices) {
    const last = since === null ? '' : `${devices > 1 ? ', el último' : ''} desde el ${since}`
    return `${why}${last}. Sale cuando vuelva${any}; ${expires}`
  }
  if (offline + disabled === devices) return `${why}. Sale cuando se habilite${any}; ${expires}`
  if (offline + disabled + at_limit + maintenance === devices) return `${why}. ${goesOn(at)}`
  return `${why}, por fallar demasiados mensajes seguidos.${at === null ? ' Se está probando uno.' : ` Se vuelve a probar el ${at}.`}`
}

/** How many devices have which obstacle. */
function obstacles(facts: WaitingFacts<'none_can'>): string {
  const { devices, offline, disabled, at_limit, quarantined, device, number, tag } = facts
  const { plan_used = 0, maintenance = 0 } = facts
  const sim = tag ? ` con la etiqueta ${tag}` : number === null ? '' : ` con la SIM ${number}`
  const found = (
    [
      [offline, 'desconectado', 'desconectados'],
      [disabled, 'deshabilitado', 'deshabilitados'],
      [at_limit, 'en su límite diario', 'en su límite diario'],
      [plan_used, 'con el plan agotado', 'con el plan agotado'],
      [quarantined, 'en cuarentena', 'en cuarentena'],
      [maintenance, 'en mantenimiento', 'en mantenimiento'],
    ] as const
  ).filter(([count]) => count > 0)
  const [first] = found
  if (first && found.length === 1) {
    return device === null
      ? `Los ${devices} dispositivos${sim} están ${first[2]}`
      : `${device}, el único dispositivo${sim}, está ${first[1]}`
  }
  const each = found.map(([count, one, more]) => `${count} ${count === 1 ? one : more}`)
  return `Ninguno de los ${devices} dispositivos${sim} puede enviarlo: ${each.join(', ')}`
}

function sayUnconfirmed(facts: WaitingFacts<'unconfirmed'>): string {
  const { device, since, again_at, offline_since, off_since, disabled_since, maintenance_until, expires_at } =
    facts
  const given = `${device} recibió la orden el ${since} y no la ha confirmado.`
  const until = expires_at === undefined ? '' : `, hasta el ${expires_at}`
  if (offline_since)
    return `${given} Está desconectado desde el ${offline_since}: la orden se repite cuando vuelva${until}.`
  if (off_since)
    return `${given} El envío está desactivado en los ajustes desde el ${off_since}: la orden se repite cuando se active${until}.`
  if (disabled_since)
    return `${given} Está deshabilitado desde el ${disabled_since}: la orden se repite cuando se habilite${until}.`
  if (maintenance_until)
    return `${given} Está en mantenimiento hasta el ${maintenance_until}: la orden se repite después${until}.`
  return again_at === null ? given : `${given} La orden se repite el ${again_at}.`
}

function isAway(offline_since: string | undefined): string {
  return offline_since === undefined ? '' : ` Está desconectado desde el ${offline_since}.`
}

function orExpires(expires_at: string): string {
  return `si no, caduca el ${expires_at}.`
}

function goesOn(at: string | null): string {
  return at === null
    ? 'Continúa cuando se aumente un límite en los ajustes.'
    : `Continúa el ${at}, o antes si se aumenta un límite en los ajustes.`
}

function inLine(waiting: number): string {
  return waiting === 1 ? 'no hay más mensajes en la cola.' : `en la cola hay ${waiting} mensajes.`
}
