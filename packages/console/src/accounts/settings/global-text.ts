import { wording } from '#console/core/language.ts'

export const globalSettings = wording('globalSettings', {
  spoofTime: 'Spoof time (secs)',
  spoofTimeHint: 'Segundos entre dos envíos de un mismo dispositivo; 0, sin pausa.',
  spoofTimeRange: 'Escriba un número entero de 0 a 86400.',
  sendEnabled: 'Send enabled',
  yes: 'Yes',
  no: 'No',
  save: 'Save',
  saved: '¡Properly saved!',
  loadFailed: 'Error al cargar settings',
  off: 'El envío está desactivado',
  offMeans:
    'Ningún dispositivo recibe mensajes: las tareas esperan (y caducan a su hora) y Send SMS los rechaza. Marque Send enabled y guarde para reanudar.',
  held: (count: string, n: number) =>
    n === 1 ? 'Los dispositivos aún tienen 1 mensaje' : `Los dispositivos aún tienen ${count} mensajes`,
  heldMeans: 'Ya se les entregaron y los terminan: no se les da ninguno más.',
  nothingHeld: 'Ninguno: no se envía nada',
  retention: 'Días que se guardan los mensajes',
  retentionHint: 'Los terminados, los SMS recibidos y los callbacks más antiguos se borran poco a poco.',
  retentionRange: 'Escriba un número entero de 1 a 3650.',
  stopWords: 'Palabras de baja',
  stopWordsHint:
    'Separadas por comas. Un SMS que sea solo una de ellas bloquea a quien lo envía; vacío, ninguna lo hace.',
  stopWordsRange: 'Como mucho 50 palabras de hasta 40 caracteres, cada una con alguna letra o cifra.',
  country: 'País de los números',
  countryHint: 'Su código de dos letras, como ES. Así se leen los números escritos sin prefijo de país.',
  inbox: 'Quién lee las conversaciones',
  inboxHint: 'Vale también para los SMS recibidos y las respuestas en el registro.',
  inboxRoles: { user: 'Todas las personas de la empresa', admin: 'Solo administradores' },
  newDevices: 'Habilitar los dispositivos al vincularse',
  newDevicesWait:
    'Al guardar, los que se vinculen no recibirán mensajes hasta que un administrador los habilite.',
  requireFactor: 'Exigir el segundo factor a los administradores',
  requireFactorMeans: (own: boolean) =>
    `Al guardar, quien administra esta empresa y no lo tiene${own ? ', usted incluido,' : ''} no podrá hacer nada más hasta activarlo.`,
  willStop:
    'Al guardar, ningún dispositivo recibirá más mensajes: las tareas esperarán y Send SMS los rechazará.',
  willResume: 'Al guardar, se reanuda la entrega de lo que espera.',
})
