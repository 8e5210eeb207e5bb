import { wording } from '#console/core/language.ts'

export const login = wording('login', {
  username: 'Username',
  password: 'Password',
  submit: 'LOG IN',
  showPassword: 'Mostrar contraseña',
  show: 'Mostrar',
  hide: 'Ocultar',
  refused: 'Usuario o contraseña incorrectos',
  expired: 'Sesión expirada',
  ending: {
    none: '',
    late: 'La sesión anterior sigue abierta en el servidor: se cerrará en cuanto haya conexión.',
    done: 'La sesión anterior ya está cerrada también en el servidor.',
  },
  code: 'Código',
  codeHint: 'De su aplicación, o uno de recuperación.',
  badCode: 'El código no es correcto o ya se usó. Espere al siguiente.',
  back: 'Volver',
  serverFault: 'El servidor no puede atender ahora. Inténtelo de nuevo en un momento.',
})
