import { wording } from '#console/core/language.ts'

export const savedViews = wording('savedViews', {
  saved: 'Vistas guardadas',
  none: 'Todavía no hay ninguna. Una vista guarda cómo está la lista ahora, en este navegador.',
  name: 'Nombre',
  save: 'Guardar esta vista',
  remove: (name: string) => `Borrar la vista ${name}`,
})
