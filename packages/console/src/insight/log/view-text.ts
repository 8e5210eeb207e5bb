import { wording } from '#console/core/language.ts'

export const logView = wording('logView', {
  title: 'Vista de los registros',
  columns: 'Columnas',
})
