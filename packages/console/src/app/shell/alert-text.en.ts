export const alerts = {
  one: (uid: string) => `Device disconnected: ${uid}`,
  several: (count: number) => `${count} devices disconnected`,
  refused: 'The browser does not allow notifications from this page. Allow them in its settings.',
  switchOn: 'Notify me when a device disconnects',
  switchOff: 'Stop notifying me of disconnected devices',
  on: 'You get a notification when a device disconnects while this window is not visible.',
  off: 'No more notifications.',
}
