import { wording } from '#console/core/language.ts'

/** The record of a message. By default with the names and codes of the API. */
export const record = wording('record', {
  label: (name: string): string => name,
  state: (state: string): string => state,
  time: (iso: string): string => iso,
  empty: (count: number) => (count === 1 ? '1 campo sin valor' : `${count} campos sin valor`),
  waits: 'En espera',
  steps: {
    queued: 'Encolado',
    handed: 'Aceptado por el dispositivo',
    sent: 'Enviado a la red',
    delivered: 'Informe de entrega',
    undelivered: 'No entregado',
    attemptFailed: 'Falló',
    replied: 'Respuesta',
    failed: 'Error',
  },
  attempt: (n: string) => `Intento ${n}`,
  sim: (number: string) => `SIM ${number}`,
  sendAgain: 'Enviar de nuevo',
  againTitle: '¿Enviar de nuevo?',
  againMeans: 'No se sabe si el mensaje salió. Si llegó, la persona lo recibirá dos veces.',
  againGoOn: 'Enviar de nuevo…',
})
