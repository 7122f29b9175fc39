// The version of the tables in a database. It has a table of its own: the database is the app's, and so is what SQLite has for that.

/** Version 1 had no derived texts. Neither it nor the first databases of version 2 say their version. */
export const VERSION = 2;

/** The error of a database that a newer version of this package has made. It has the name that browsers give theirs. */
export function refuseNewer(version: number): void {
  if (version > VERSION) {
    const message = `the tables of epitome in this database are of version ${version}, and this version of epitome knows them up to version ${VERSION}; update it`;
    throw Object.assign(new Error(message), { name: "VersionError" });
  }
}
