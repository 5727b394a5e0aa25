#if PostgreSQL
/// The formats of the tables that a version of this library knows.
///
/// A newer format only adds to the tables, so that versions run side by side while a fleet is updated. A version
/// refuses tables whose `oldest` format is newer than all that it knows.
package struct PostgresFormats: Sendable {
    /// A step to a newer format.
    package struct Migration: Sendable {
        package let format: Int64
        /// The oldest format whose versions of the library may still use the tables.
        package let oldest: Int64
        /// Statements, in which `$tokens` stands for the table of tokens.
        package let statements: [String]

        package init(to format: Int64, oldest: Int64, _ statements: [String]) {
            (self.format, self.oldest, self.statements) = (format, oldest, statements)
        }
    }

    /// The steps after the first format.
    package var migrations: [Migration] = []
    /// The newest format that is known.
    var newest: Int64 { migrations.last?.format ?? 1 }

    package init() {}
}
#endif
