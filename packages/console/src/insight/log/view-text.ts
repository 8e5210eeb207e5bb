import { wording } from '#console/core/language.ts'

export const logView = wording('logView', {
  title: 'Vista de los registros',
  columns: 'Columnas',
  saved: 'Vistas guardadas',
  none: 'Todavía no hay ninguna. Una vista guarda los filtros y las columnas de ahora en este navegador.',
  name: 'Nombre',
  save: 'Guardar esta vista',
  remove: (name: string) => `Borrar la vista ${name}`,
})
