export const agents = {
  title: 'Agent versions',
  loadFailed: 'The versions could not be loaded.',
  newest: (version: string) => `This server has version ${version}.`,
  behind: (count: number, shown: string) =>
    count === 0
      ? 'No device has an older one.'
      : count === 1
        ? '1 device has an older one.'
        : `${shown} devices have an older one.`,
  unknown: 'Not reported',
  older: 'Older',
  current: 'Up to date',
  devices: (count: number, shown: string) => (count === 1 ? '1 device' : `${shown} devices`),
  connected: (_count: number, shown: string) => `${shown} connected`,
  changes: 'What has changed in the agent',
  unchanged: 'Nothing in the agent.',
  manual: 'An agent is not updated from here. docs/agent.md says how to do it on its machine.',
}
