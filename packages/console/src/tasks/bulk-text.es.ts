export const bulkDiscard = {
  discard: 'Descartar',
  title: (count: number) => (count === 1 ? '¿Descartar 1 tarea?' : `¿Descartar ${count} tareas?`),
  means:
    'No se puede deshacer. A los dispositivos que ya tienen alguna se les pedirá que no la envíen, si todavía no lo han hecho.',
  ended: (count: number) =>
    count === 1 ? '1 ya terminó y se queda como está.' : `${count} ya terminaron y se quedan como están.`,
  failed: 'No se pudo descartar.',
  done: (count: number) => (count === 1 ? '1 tarea descartada' : `${count} tareas descartadas`),
  summary: 'No se descartaron todas las tareas',
}
