export const logView = {
  title: 'Vista del registro',
  columns: 'Columnas',
  saved: 'Vistas guardadas',
  none: 'Todavía no hay ninguna. Una vista guarda los filtros y las columnas actuales en este navegador.',
  name: 'Nombre',
  save: 'Guardar esta vista',
  remove: (name: string) => `Borrar la vista ${name}`,
}
