export const contacts = {
  title: 'Contactos',
  templates: 'Plantillas',
  list: 'Contactos de la empresa',
  search: 'Buscar número o nombre',
  filter: 'Lista',
  anyList: 'Todas las listas',
  listOption: (name: string, contacts: string) => `${name} (${contacts})`,
  columns: {
    number: 'Número',
    name: 'Nombre',
    lists: 'Listas',
    consent: 'Consentimiento',
    updated: 'Cambiado',
  },
  open: (number: string) => `Abrir ${number}`,
  given: 'Sí',
  givenSince: (day: string) => `desde ${day}`,
  notGiven: 'No consta',
  optedOut: 'De baja',
  loadFailed: 'No se pudieron cargar los contactos.',
  empty: 'Todavía no hay contactos.',
  emptyHint: 'Añada uno, o importe un CSV con una columna de números.',
  emptyFiltered: 'Ningún contacto cumple el filtro.',
  copied: (number: string) => `${number} copiado`,
  add: 'Añadir contacto',
  importFile: 'Importar CSV',
  csv: 'CSV',
  csvTitle: (list: string | undefined) =>
    list === undefined
      ? 'Descargar todos los contactos como CSV'
      : `Descargar todos los contactos de «${list}» como CSV`,
  exportFailed: 'No se pudo descargar el fichero.',
}
