// Stores for a server: conversations in SQLite or PostgreSQL.

export { type PostgresPool, postgresStore } from "../node/postgres.js";
export { type SqliteDatabase, type SqliteStatement, sqliteStore } from "../node/sqlite.js";
export * from "./storage.js";
