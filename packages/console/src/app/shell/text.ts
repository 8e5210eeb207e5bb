import { wording } from '#console/core/language.ts'

export const menu = wording('menu', {
  toggle: 'Menu',
  close: 'Cerrar menú',
  skip: 'Saltar al contenido',
  landmark: 'Principal',
  dashboard: 'Dashboard',
  /** With a soft hyphen, for the narrow menu. */
  conversations: 'Conversa\u00adciones',
  unread: (count: string) => `${count} sin leer`,
  devices: 'Devices',
  sms: 'Send SMS',
  campaigns: 'Campañas',
  contacts: 'Contactos',
  users: 'Users',
  logs: 'Logs',
  tasks: 'Running Tasks',
  routes: 'Rutas',
  settings: 'Settings',
  logout: 'Logout',
  account: 'Cuenta',
  theme: 'Tema',
  themes: { system: 'sistema', light: 'claro', dark: 'oscuro' },
  shortcuts: 'Atajos de teclado',
  palette: 'Buscar o ir a…',
})

export const live = wording('live', {
  connecting: 'Conectando…',
  live: 'En vivo',
  reconnecting: 'Reconectando…',
  offline: 'Sin conexión',
  lastChange: 'último cambio',
  stale: 'datos de',
  gone: (at: string) =>
    `Sin respuesta del servidor desde las ${at}. Lo que se ve puede haber cambiado. No se puede enviar ni cambiar nada hasta que vuelva.`,
})
