export const sending = {
  off: (at: string | undefined, by: string | undefined) =>
    `Sending is off${at ? ` since ${at}` : ''}${by ? `, switched off by ${by}` : ''}`,
  waiting: (count: string) => (count === '1' ? '1 message waits' : `${count} messages wait`),
  stop: 'Stop sending',
  stopQuestion: 'Stop sending?',
  stopAbout: 'The devices of your company get no more messages. Waiting messages stay in the queue.',
  resume: 'Resume sending',
  resumeQuestion: 'Resume sending?',
  resumeAbout: 'Waiting messages go out at once.',
  stopped: 'Sending is stopped.',
  resumed: 'Sending is resumed.',
}
