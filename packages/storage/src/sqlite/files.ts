/** The files in a data folder besides the database. */
export const MARKER_FILE = 'installation.json'
export const LOCK_FILE = 'server.lock'
export const BACKUP_FOLDER = 'backups'
