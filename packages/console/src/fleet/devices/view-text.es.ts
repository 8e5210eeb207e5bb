export const viewOptions = {
  title: 'Vista de la tabla',
  order: 'Orden',
  problems: 'Problemas primero',
  columns: 'Columnas añadidas',
}
