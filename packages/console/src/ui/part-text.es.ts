export const part = {
  failed: 'No se pudo cargar una parte de la consola. Recargue la página.',
  reload: 'Recargar',
}
