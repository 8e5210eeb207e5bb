export const menu = {
  toggle: 'Menu',
  close: 'Close menu',
  skip: 'Skip to content',
  landmark: 'Main',
  dashboard: 'Dashboard',
  conversations: 'Conversa\u00adtions',
  unread: (count: string) => `${count} unread`,
  devices: 'Devices',
  sms: 'Send SMS',
  contacts: 'Contacts',
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
  select: 'Select the row',
  range: 'Select a range of rows',
  all: 'Select all rows',
  bar: 'Go to the actions of the selection',
  close: 'Close what is open',
  palette: 'Go anywhere',
  jump: 'Go to a screen',
  sheet: 'Show this help',
}

export const live = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  lastChange: 'last change',
  stale: 'data from',
  gone: (at: string) =>
    `The server has not answered since ${at}. The data shown may have changed. Nothing can be sent or changed until it is back.`,
}
