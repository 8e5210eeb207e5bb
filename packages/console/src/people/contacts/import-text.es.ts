export const contactImport = {
  title: 'Importar contactos',
  back: 'Contactos',
  intro:
    'El fichero se lee en este navegador. Importarlo otra vez no duplica nada: solo cambia lo que sea distinto.',
  targets: {
    number: 'Número',
    name: 'Nombre',
    lists: 'Listas',
    consent_how: 'Consentimiento: cómo',
    consent_given_at: 'Consentimiento: cuándo',
  },
  noNumber: 'Ninguna columna da el número: elija cuál en «Columnas». Sin él no se puede importar.',
  tooManyFields: (count: number, most: number) =>
    `Ha elegido ${count} campos y un contacto tiene como mucho ${most}: deje los que necesite.`,
  leftOut: (count: number) =>
    `${count === 1 ? '1 columna no se importa' : `${count} columnas no se importan`}: elija las que necesite.`,
  forAll: 'Para todas las filas',
  addLists: 'Añadir a las listas',
  addListsHint: 'Separadas por punto y coma.',
  listsWrong: (most: number) => `Como mucho ${most} listas de hasta 60 caracteres.`,
  consentAll: 'Cómo dieron su consentimiento para marketing',
  consentAllHint:
    'Vacío: no se anota ninguno. Se anota donde no conste ya. Escríbalo solo si todas estas personas lo dieron.',
  howWrong: 'Como mucho 200 caracteres.',
  preview: 'Así quedarán las primeras filas',
  line: 'Fila',
  fields: 'Campos',
  consent: 'Consentimiento',
  problem: 'Problema',
  start: (count: string) => (count === '1' ? 'Importar 1 fila' : `Importar ${count} filas`),
  nothing: 'Ninguna fila se puede importar: mire los motivos y corrija el fichero o las columnas.',
  willRefuse: (count: string) =>
    count === '1' ? '1 fila no se puede importar:' : `${count} filas no se pueden importar:`,
  running: 'Importando…',
  progress: (done: string, total: string) => `${done} de ${total === '1' ? '1 fila' : `${total} filas`}`,
  stop: 'Cancelar',
  stopHint: 'Lo ya importado se queda.',
  done: 'Importación terminada',
  stopped: (done: string, total: string) =>
    `Cancelada: se importaron ${done} de ${total === '1' ? '1 fila' : `${total} filas`}, las demás no. Puede continuar o importar el fichero otra vez.`,
  broken: (done: string, total: string) =>
    `La importación se interrumpió con ${done} de ${total === '1' ? '1 fila' : `${total} filas`}. Continúe: lo ya guardado no se repite.`,
  leftHalf: (done: string, total: string) =>
    `La importación se detuvo con ${done} de ${total === '1' ? '1 fila' : `${total} filas`}. Importe el fichero otra vez: lo ya guardado no se repite.`,
  failed: 'El servidor no pudo guardar estas filas.',
  resume: 'Continuar',
  counts: { added: 'añadidos', changed: 'cambiados', unchanged: 'sin cambios', refused: 'rechazadas' },
  refused: 'Filas que no se importaron',
  reason: 'Motivo',
  saveRefused: 'Descargar como CSV',
  refusedShown: (shown: string, total: string) => `Se ven ${shown} de ${total}; el fichero tiene todas.`,
  refusedName: 'filas-rechazadas.csv',
  see: 'Ver los contactos',
  reasons: {
    no_number: 'La fila no tiene número.',
    shortened_number:
      'La hoja de cálculo acortó el número: dé a la columna formato de texto, escriba el número y guarde el CSV otra vez.',
    invalid_number: 'No puede ser un número de teléfono: escríbalo con + y el prefijo de su país.',
    repeated: 'El número ya está en una fila anterior, que es la que cuenta.',
    name: 'El nombre pasa de 100 caracteres o tiene signos que no se ven.',
    fields: 'Un campo pasa de 200 caracteres, o hay más de 30.',
    lists: 'Hay más de 50 listas, o una pasa de 60 caracteres.',
    consent:
      'El consentimiento pasa de 200 caracteres, o su fecha no se entiende: escriba 2026-01-31 o 31/01/2026.',
    invalid:
      'Con esta fila el contacto tendría más de 30 campos o 50 listas, o su consentimiento tiene fecha futura.',
  },
}
