import { wording } from '#console/core/language.ts'

export const shortcuts = wording('shortcuts', {
  on: 'Atajos activados',
  search: 'Ir a la búsqueda',
  walk: 'Bajar y subir por las filas',
  open: 'Abrir la fila',
  copy: 'Copiar el identificador de la fila',
  select: 'Seleccionar la fila',
  range: 'Seleccionar varias seguidas',
  all: 'Seleccionar todas las filas',
  bar: 'Ir a las acciones de la selección',
  close: 'Cerrar lo abierto',
  palette: 'Ir a cualquier parte',
  jump: 'Ir a una pantalla',
  alerts: 'Ver las alertas abiertas',
  sheet: 'Mostrar esta ayuda',
})
