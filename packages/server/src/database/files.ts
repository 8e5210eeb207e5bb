/** The database in `DATA_DIR`. */
export const DATABASE_FILE = 'sms-drone-dash.db'
