export const savedViews = {
  saved: 'Vistas guardadas',
  none: 'Todavía no hay ninguna. Una vista guarda cómo está la lista ahora, en este navegador.',
  name: 'Nombre',
  save: 'Guardar esta vista',
  remove: (name: string) => `Borrar la vista ${name}`,
}
