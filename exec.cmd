@rem The npm scripts say `exec node …`, so that on Unix a signal to npm reaches Node and not a shell around it.
@rem Windows has no such word: here it runs what follows.
@%*
