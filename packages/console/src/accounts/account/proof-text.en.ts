export const proof = {
  title: 'Confirm that it is you',
  why: 'What you are about to do gives somebody access. You will not be asked again for 5 minutes.',
  password: 'Current password',
  code: 'Code',
  codeHint: 'Six digits from the app, or a recovery code.',
  usePassword: 'Use the password',
  useCode: 'Use a code',
  confirm: 'Confirm',
  required: 'This field is required.',
  failed: 'It could not be confirmed.',
}
