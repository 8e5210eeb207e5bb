export const duty = {
  passwordTitle: 'Change your password',
  passwordWhy:
    'Somebody else gave you the password that you have just used, or may know it. To continue, choose one that only you know.',
  given: 'Password you were given',
  passwordAction: 'Change and continue',
  factorTitle: 'Turn on the second factor',
  factorWhy:
    'Your company requires it of administrators: besides the password, a code from an app on your phone. Confirm first that it is you.',
  leave: 'Log out',
}
