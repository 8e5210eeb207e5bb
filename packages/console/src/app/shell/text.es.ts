export const menu = {
  toggle: 'Menú',
  close: 'Cerrar menú',
  skip: 'Saltar al contenido',
  landmark: 'Principal',
  dashboard: 'Resumen',
  conversations: 'Conversa\u00adciones',
  unread: (count: string) => `${count} sin leer`,
  devices: 'Dispositivos',
  sms: 'Enviar SMS',
  contacts: 'Contactos',
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
  select: 'Seleccionar la fila',
  range: 'Seleccionar varias seguidas',
  all: 'Seleccionar todas las filas',
  bar: 'Ir a las acciones de la selección',
  close: 'Cerrar lo abierto',
  palette: 'Ir a cualquier parte',
  jump: 'Ir a una pantalla',
  sheet: 'Mostrar esta ayuda',
}

export const live = {
  connecting: 'Conectando…',
  live: 'En vivo',
  reconnecting: 'Reconectando…',
  offline: 'Sin conexión',
  lastChange: 'último cambio',
  stale: 'datos de',
  gone: (at: string) =>
    `Sin respuesta del servidor desde las ${at}. Lo que se ve puede haber cambiado. No se puede enviar ni cambiar nada hasta que vuelva.`,
}
