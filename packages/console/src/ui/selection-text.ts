import { wording } from '#console/core/language.ts'

export const selecting = wording('selecting', {
  begin: 'Seleccionar',
  row: (name: string) => `Seleccionar ${name}`,
  all: (count: string) => `Seleccionar las ${count} filas`,
  bar: 'Selección',
  selected: (count: number) => (count === 1 ? '1 seleccionado' : `${count} seleccionados`),
  hidden: (count: number) => (count === 1 ? '1 no cumple el filtro' : `${count} no cumplen el filtro`),
  everyMatch: (count: string) => `Todos los que cumplen el filtro (${count})`,
  everyLoaded: (count: string) => `Todos los cargados (${count})`,
  none: 'Ninguno',
  end: 'Terminar la selección',
  progress: (done: string, total: string) => `${done} de ${total}`,
  stop: 'Parar',
  outcome: (changed: number, refused: number) => `Cambiados: ${changed}. No cambiados: ${refused}.`,
  left: (count: number) => `Sin intentar: ${count}.`,
  more: (count: string) => `y ${count} más`,
  undo: 'Deshacer',
})
