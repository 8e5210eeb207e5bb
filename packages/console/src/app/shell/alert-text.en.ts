export const alerts = {
  one: (uid: string) => `Device disconnected: ${uid}`,
  several: (count: number) => `${count} devices disconnected`,
  device: {
    switchOn: 'Notify me when a device disconnects',
    switchOff: 'Stop notifying me of disconnected devices',
    on: 'You get a notification when a device disconnects while this window is not visible.',
  },
  failedOne: 'A message failed',
  failedSeveral: (count: number) => `${count} messages failed`,
  message: {
    switchOn: 'Notify me when a message fails',
    switchOff: 'Stop notifying me of failed messages',
    on: 'You get a notification when messages fail while this window is not visible.',
  },
  smsFrom: (who: string) => `SMS from ${who}`,
  smsSeveral: (count: number) => `${count} new SMS`,
  sms: {
    switchOn: 'Notify me when an SMS is received',
    switchOff: 'Stop notifying me of received SMS',
    on: 'You get a notification when an SMS is received while this window is not visible.',
  },
  refused: 'The browser does not allow notifications from this page. Allow them in its settings.',
  off: 'No more notifications.',
}
