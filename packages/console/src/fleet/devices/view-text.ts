import { wording } from '#console/core/language.ts'

export const viewOptions = wording('viewOptions', {
  title: 'Vista de la tabla',
  order: 'Orden',
  problems: 'Problemas primero',
  columns: 'Columnas añadidas',
})
