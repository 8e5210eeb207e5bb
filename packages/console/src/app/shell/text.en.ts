export const menu = {
  toggle: 'Menu',
  close: 'Close menu',
  skip: 'Skip to content',
  landmark: 'Main',
  dashboard: 'Dashboard',
  devices: 'Devices',
  sms: 'Send SMS',
  users: 'Users',
  logs: 'Log',
  tasks: 'Tasks',
  settings: 'Settings',
  logout: 'Log out',
  account: 'Account',
  theme: 'Theme',
  themes: { system: 'system', light: 'light', dark: 'dark' },
  shortcuts: 'Keyboard shortcuts',
  palette: 'Find or go to…',
}

export const shortcuts = {
  on: 'Shortcuts are on',
  search: 'Go to the search',
  walk: 'Move down and up the rows',
  open: 'Open the row',
  copy: 'Copy the identifier of the row',
  close: 'Close what is open',
  palette: 'Go anywhere',
  sheet: 'Show this help',
}

export const live = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  lastChange: 'last change',
  stale: 'data from',
}
