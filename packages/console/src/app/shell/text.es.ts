export const menu = {
  toggle: 'Menú',
  close: 'Cerrar menú',
  skip: 'Saltar al contenido',
  landmark: 'Principal',
  dashboard: 'Resumen',
  devices: 'Dispositivos',
  sms: 'Enviar SMS',
  users: 'Usuarios',
  logs: 'Registro',
  tasks: 'Tareas',
  settings: 'Ajustes',
  logout: 'Cerrar sesión',
  account: 'Cuenta',
  theme: 'Tema',
  themes: { system: 'sistema', light: 'claro', dark: 'oscuro' },
  shortcuts: 'Atajos de teclado',
  palette: 'Buscar o ir a…',
}

export const shortcuts = {
  on: 'Atajos activados',
  search: 'Ir a la búsqueda',
  walk: 'Bajar y subir por las filas',
  open: 'Abrir la fila',
  copy: 'Copiar el identificador de la fila',
  close: 'Cerrar lo abierto',
  palette: 'Ir a cualquier parte',
  sheet: 'Mostrar esta ayuda',
}

export const live = {
  connecting: 'Conectando…',
  live: 'En vivo',
  reconnecting: 'Reconectando…',
  offline: 'Sin conexión',
  lastChange: 'último cambio',
  stale: 'datos de',
}
