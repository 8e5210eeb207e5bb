export const troubles = {
  partMissing: 'No se pudo cargar una parte de la consola. Recargue la página.',
  reload: 'Recargar',
  notCopied: 'No se pudo copiar. Seleccione el texto y cópielo.',
}
