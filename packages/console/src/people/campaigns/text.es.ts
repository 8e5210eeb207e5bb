export const campaigns = {
  title: 'Campañas',
  list: 'Campañas de la empresa',
  add: 'Nueva campaña',
  loadFailed: 'No se pudieron cargar las campañas.',
  empty: 'Todavía no hay campañas.',
  emptyHint: 'Hace falta un CSV con una columna de números, o una lista de contactos.',
  open: (name: string) => `Abrir ${name}`,
  copied: (name: string) => `${name} copiado`,
  columns: { name: 'Campaña', state: 'Estado', rows: 'Progreso' },
  states: {
    draft: 'Borrador',
    scheduled: 'Programada',
    running: 'En curso',
    paused: 'En pausa',
    stopped: 'Detenida',
    finished: 'Terminada',
  },
}
