import type { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { wording } from '#console/core/language.ts'
import type { WaitingFields } from './waiting.ts'

export const waiting = wording('waiting', {
  /** Why a message or task waits, with ISO times; undefined if it does not. By default in the server's words. */
  sentence: ({ waiting_for }: WaitingFields): string | undefined => waiting_for ?? undefined,
  reasons: {
    sending_off: 'Envío desactivado',
    later: 'Para más tarde',
    no_device: 'Sin dispositivo o sin esa SIM',
    maintenance: 'Dispositivo en mantenimiento',
    device_offline: 'Dispositivo desconectado',
    device_disabled: 'Dispositivo deshabilitado',
    daily_limit: 'Límite diario alcanzado',
    quarantined: 'Dispositivo en cuarentena',
    window_full: 'Ya tiene 10 en curso',
    pacing: 'Pausa entre envíos',
    next: 'A punto de salir',
  } satisfies Record<WaitingReason, string>,
})
