/** What a data folder holds. */
export const DATABASE_FILE = 'sms-drone-dash.db'
export const MARKER_FILE = 'installation.json'
export const LOCK_FILE = 'server.lock'
export const BACKUP_FOLDER = 'backups'
