export const logView = {
  title: 'Vista del registro',
  columns: 'Columnas',
}
