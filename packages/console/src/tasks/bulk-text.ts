import { wording } from '#console/core/language.ts'

export const bulkDiscard = wording('bulkDiscard', {
  discard: 'Descartar',
  title: (count: number) => (count === 1 ? '¿Descartar 1 tarea?' : `¿Descartar ${count} tareas?`),
  means:
    'No se puede deshacer. A los dispositivos que ya tienen alguna se les pedirá que la dejen, si aún no la han enviado.',
  ended: (count: number) =>
    count === 1
      ? '1 ya ha terminado y se queda como está.'
      : `${count} ya han terminado y se quedan como están.`,
  failed: 'No se pudo descartar.',
  done: (count: number) => (count === 1 ? '1 tarea descartada' : `${count} tareas descartadas`),
  summary: 'No se descartaron todas las tareas',
})
