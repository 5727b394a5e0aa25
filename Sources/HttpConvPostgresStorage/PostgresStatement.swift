#if PostgreSQL

/// The statements, as fail points name them.
package enum PostgresStatement: String, CaseIterable, Sendable {
    case open, listen, read, acquire, extend, release, save, removeAll, reencrypt
}
#endif
