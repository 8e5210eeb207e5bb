export const agents = {
  title: 'Versiones del agente',
  loadFailed: 'No se pudieron cargar las versiones.',
  newest: (version: string) => `La versión de este servidor es la ${version}.`,
  behind: (count: number, shown: string) =>
    count === 0
      ? 'Ningún dispositivo tiene una anterior.'
      : count === 1
        ? '1 dispositivo tiene una anterior.'
        : `${shown} dispositivos tienen una anterior.`,
  unknown: 'Versión desconocida',
  older: 'Anterior',
  current: 'Al día',
  devices: (count: number, shown: string) => (count === 1 ? '1 dispositivo' : `${shown} dispositivos`),
  connected: (count: number, shown: string) => (count === 1 ? '1 conectado' : `${shown} conectados`),
  changes: 'Qué ha cambiado en el agente',
  unchanged: 'Nada en el agente.',
  manual: 'Un agente no se actualiza desde aquí. docs/agent.md dice cómo se hace en su máquina.',
}
