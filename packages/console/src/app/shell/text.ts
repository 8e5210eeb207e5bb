import { wording } from '#console/core/language.ts'

export const menu = wording('menu', {
  toggle: 'Menu',
  close: 'Cerrar menú',
  skip: 'Saltar al contenido',
  landmark: 'Principal',
  dashboard: 'Dashboard',
  devices: 'Devices',
  sms: 'Send SMS',
  users: 'Users',
  logs: 'Logs',
  tasks: 'Running Tasks',
  settings: 'Settings',
  logout: 'Logout',
  account: 'Cuenta',
  theme: 'Tema',
  themes: { system: 'sistema', light: 'claro', dark: 'oscuro' },
  shortcuts: 'Atajos de teclado',
  palette: 'Ir a…',
})

export const shortcuts = wording('shortcuts', {
  on: 'Atajos activados',
  search: 'Ir a la búsqueda',
  walk: 'Bajar y subir por las filas',
  open: 'Abrir la fila',
  copy: 'Copiar el identificador de la fila',
  close: 'Cerrar lo abierto',
  palette: 'Ir a cualquier parte',
  sheet: 'Mostrar esta ayuda',
})

export const live = wording('live', {
  connecting: 'Conectando…',
  live: 'En vivo',
  reconnecting: 'Reconectando…',
  offline: 'Sin conexión',
  lastChange: 'último cambio',
  stale: 'datos de',
})
