import type { Target } from './target.ts'
import { csv, payload, phone, stop } from './targets/device.ts'
import { cursor, json, pairs, route } from './targets/http.ts'
import { mqtt } from './targets/mqtt.ts'
import { request } from './targets/request.ts'
import { smpp } from './targets/smpp.ts'
import { at, pdu, text } from './targets/radio.ts'

/** Every entrance for untrusted bytes, and the values read from them. */
export const targets: readonly Target[] = [
  json,
  pairs,
  route,
  request,
  cursor,
  mqtt,
  smpp,
  payload,
  phone,
  csv,
  stop,
  pdu,
  text,
  at,
]

export function findTarget(name: string): Target {
  const target = targets.find((one) => one.name === name)
  if (!target)
    throw new Error(
      `There is no target ${name}: there are ${targets.map((one) => one.name).join(', ')}, model`,
    )
  return target
}
