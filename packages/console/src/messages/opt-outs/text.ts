import { wording } from '#console/core/language.ts'

export const optOuts = wording('optOuts', {
  title: 'Bajas',
  list: 'Números que pidieron no recibir mensajes',
  search: 'Buscar número',
  words: 'Palabras de baja:',
  noWords: 'ninguna: solo se bloquea a mano',
  editWords: 'Cambiar en Global settings',
  columns: {
    number: 'Número',
    why: 'Motivo',
    device_uid: 'Recibido por',
    created_at: 'Desde',
    actions: 'Acciones',
  },
  wrote: (text: string) => `Escribió «${text}»`,
  addedBy: (name: string) => `Añadido por ${name}`,
  addedByNobody: 'Añadido a mano',
  loadFailed: 'No se pudieron cargar las bajas.',
  empty: 'Ningún número está de baja.',
  emptyHint: 'Quien responda con una palabra de baja aparecerá aquí, y no se le enviará nada más.',
  emptyFiltered: 'Ninguna baja tiene ese número.',
  copied: (number: string) => `${number} copiado`,

  add: 'Añadir número',
  number: 'Número',
  numberHint: 'Mejor con su prefijo: +34600111222. Varios, uno por línea.',
  numberWrong: 'Escriba el número con prefijo (+34600111222) o un número corto.',
  addMeans: 'No se le enviará nada más, y lo que espera para ese número falla.',
  addFailed: 'No se pudo añadir el número.',
  added: (number: string) => `${number} está de baja`,

  lift: 'Quitar baja',
  liftNamed: (number: string) => `Quitar baja de ${number}`,
  liftTitle: (number: string) => `¿Quitar la baja de ${number}?`,
  liftAsked: (text: string) => `Ese número escribió «${text}»: asegúrese de que quiere recibir mensajes.`,
  liftMeans: 'Se le podrá volver a escribir. La auditoría guarda quién quitó la baja.',
  liftFailed: 'No se pudo quitar la baja.',
  lifted: (number: string) => `${number} ya no está de baja`,
  oneWrong: (typed: string) => `«${typed}» no es un número: escríbalo con su prefijo (+34600111222).`,
  addedSeveral: (count: number) => `${count} números están de baja`,
  liftSeveralTitle: (count: number) => (count === 1 ? '¿Quitar 1 baja?' : `¿Quitar ${count} bajas?`),
  liftSeveralAsked: (count: number) =>
    count === 1
      ? '1 número pidió la baja por SMS: asegúrese de que quiere recibir mensajes.'
      : `${count} números pidieron la baja por SMS: asegúrese de que quieren recibir mensajes.`,
  liftedSeveral: (count: number) => (count === 1 ? '1 baja quitada' : `${count} bajas quitadas`),
  summary: 'No se quitaron todas las bajas',
  gone: 'Esa baja no está en la lista.',
})
