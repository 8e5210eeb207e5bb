import { wording } from '#console/core/language.ts'

export const account = wording('account', {
  title: 'Cuenta',

  language: 'Idioma',
  usual: 'Textos habituales (español e inglés)',
  languageFailed: 'No se pudo cambiar el idioma.',
  languageKept: 'Idioma: textos habituales',

  factor: 'Segundo factor',
  off: 'Desactivado',
  offMeans:
    'Para entrar basta la contraseña. Con el segundo factor se pide además un código de una aplicación del teléfono: una contraseña robada ya no abre la cuenta.',
  on: 'Activo',
  since: 'desde',
  onMeans: 'Para entrar se piden la contraseña y un código de su aplicación, o uno de recuperación.',
  codesLeft: (count: number) =>
    count === 1 ? 'Queda 1 código de recuperación.' : `Quedan ${count} códigos de recuperación.`,
  fewCodes: 'Haga nuevos antes de quedarse sin ellos.',
  turnOn: 'Activar',
  turnOff: 'Desactivar',
  renew: 'Nuevos códigos',
  factorFailed: 'No se pudo cargar el segundo factor.',

  enrolTitle: 'Activar el segundo factor',
  enrolIntro: 'Confirme primero que es usted.',
  password: 'Contraseña actual',
  next: 'Continuar',
  back: 'Volver',
  scan: 'Escanee este código con la aplicación (por ejemplo Aegis, Google Authenticator o 1Password), o escriba en ella el secreto.',
  picture: 'Código QR para la aplicación',
  secret: 'Secreto',
  copySecret: 'Copiar secreto',
  firstCode: 'Código que muestra la aplicación',
  code: 'Código',
  codeHint: 'Seis dígitos de la aplicación, o un código de recuperación.',
  enrolFailed: 'No se pudo activar.',
  enrolled: 'Segundo factor activado',

  codesTitle: 'Códigos de recuperación',
  codesMean: 'Cada uno sirve una vez en lugar del código de la aplicación, si pierde el teléfono.',
  codesList: 'Los diez códigos',
  copyCodes: 'Copiar',
  downloadCodes: 'Descargar',
  codesFile: 'sms-drone-dash-codigos.txt',

  renewTitle: 'Nuevos códigos de recuperación',
  renewMeans: 'Los que tenga dejan de servir.',
  renewFailed: 'No se pudieron hacer los códigos.',
  offTitle: 'Desactivar el segundo factor',
  offAsk: 'Para entrar volverá a bastar la contraseña, y los códigos de recuperación dejan de servir.',
  offFailed: 'No se pudo desactivar.',
  turnedOff: 'Segundo factor desactivado',

  wrongPassword: 'La contraseña no es correcta.',
  wrongCode: 'El código no es correcto o ya se usó. Espere al siguiente.',
  required: 'Este campo es obligatorio.',

  sessions: 'Sesiones abiertas',
  sessionsMean: 'Dónde ha entrado con su cuenta. Cierre las que no reconozca y cambie la contraseña.',
  sessionsFailed: 'No se pudieron cargar las sesiones.',
  current: 'Esta sesión',
  opened: 'Abierta',
  used: 'último uso',
  end: 'Cerrar',
  endNamed: (name: string, address: string) => `Cerrar ${name}, ${address}`,
  ended: 'Sesión cerrada',
  endFailed: 'No se pudo cerrar la sesión.',
  endOthers: 'Cerrar las demás',
  endOthersAsk: (count: number) =>
    count === 1
      ? 'Se cierra la otra sesión; esta sigue abierta.'
      : `Se cierran las otras ${count} sesiones; esta sigue abierta.`,
  othersEnded: 'Las demás sesiones están cerradas',
  unknownProgram: 'Programa desconocido',

  passwordTitle: 'Contraseña',
  newPassword: 'Contraseña nueva',
  repeat: 'Repita la contraseña nueva',
  passwordRule: 'De 10 a 256 caracteres. Cierra sus otras sesiones.',
  firstRule: 'De 10 a 256 caracteres; ni habitual ni su nombre.',
  sameAsOld: 'Es la misma que la actual. Elija otra.',
  guessable:
    'Es fácil de adivinar: una contraseña habitual, o un nombre. Elija otra, por ejemplo de varias palabras.',
  tooShort: 'Debe tener de 10 a 256 caracteres.',
  differ: 'Las contraseñas no coinciden.',
  change: 'Cambiar contraseña',
  changed: 'Contraseña cambiada. Sus otras sesiones están cerradas.',
  changeFailed: 'No se pudo cambiar la contraseña.',
})
