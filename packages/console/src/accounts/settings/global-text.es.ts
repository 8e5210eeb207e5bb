export const globalSettings = {
  spoofTime: 'Segundos entre envíos',
  spoofTimeHint: 'Pausa entre dos envíos de un mismo dispositivo; 0, sin pausa.',
  spoofTimeRange: 'Escriba un número entero de 0 a 86400.',
  sendEnabled: 'Envío activado',
  yes: 'Sí',
  no: 'No',
  save: 'Guardar',
  saved: 'Ajustes guardados.',
  loadFailed: 'No se pudieron cargar los ajustes.',
  off: 'El envío está desactivado',
  offMeans:
    'Ningún dispositivo recibe mensajes: las tareas esperan (y caducan a su hora) y «Enviar SMS» los rechaza. Para reanudarlo, marque «Envío activado» y guarde.',
  held: (count: string, n: number) =>
    n === 1 ? 'Los dispositivos aún tienen 1 mensaje' : `Los dispositivos aún tienen ${count} mensajes`,
  heldMeans: 'Los habían recibido antes y los terminan; no reciben ninguno más.',
  nothingHeld: 'No se envía nada: los dispositivos no tienen ningún mensaje',
  retention: 'Días que se guardan los mensajes',
  retentionHint:
    'Pasado ese plazo se borran poco a poco los mensajes terminados, los SMS recibidos y los callbacks.',
  retentionRange: 'Escriba un número entero de 1 a 3650.',
  stopWords: 'Palabras de baja',
  stopWordsHint:
    'Separadas por comas. Si un SMS recibido contiene solo una de ellas, quien lo envía queda de baja. Deje el campo vacío para no dar de baja a nadie así.',
  stopWordsRange: 'Como mucho 50 palabras de hasta 40 caracteres, cada una con alguna letra o cifra.',
  country: 'País de los números',
  countryHint:
    'Su código de dos letras, como ES. Así se leen los números escritos sin prefijo de país; los guardados no cambian.',
  inbox: 'Quién lee las conversaciones',
  inboxHint: 'Vale también para los SMS recibidos y las respuestas en el registro.',
  inboxRoles: { user: 'Todas las personas de la empresa', admin: 'Solo administradores' },
  newDevices: 'Habilitar los dispositivos al vincularlos',
  newDevicesWait:
    'Al guardar, los que se vinculen no recibirán mensajes hasta que un administrador los habilite.',
  requireFactor: 'Exigir el segundo factor a los administradores',
  requireFactorMeans: (own: boolean) =>
    `Al guardar, los administradores de esta empresa que no lo tengan${own ? ', usted incluido,' : ''} no podrán hacer nada más hasta activarlo.`,
  willStop:
    'Al guardar, ningún dispositivo recibirá más mensajes: las tareas esperarán y «Enviar SMS» los rechazará.',
  willResume: 'Al guardar se reanuda la entrega de los mensajes en espera.',
}
