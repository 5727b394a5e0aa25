#if PostgreSQL
internal import CPostgreSQL
internal import HttpConversation

/// Maps errors of the database. Details, hints and statements are left out: they may quote values.
enum PostgresFailure {
    static func error(_ result: OpaquePointer) -> PostgresStorageError {
        let state = field(result, "C") ?? ""
        let text = TerminalText.sanitise(field(result, "M") ?? "no message", limit: 200)
        let (code, advice) = meaning(of: state)
        return PostgresStorageError(
            code, "The database answered: \(text) (SQLSTATE \(TerminalText.sanitise(state, limit: 5))). \(advice)",
            sqlState: state)
    }

    private static func field(_ result: OpaquePointer, _ name: Character) -> String? {
        guard let byte = name.asciiValue else { return nil }
        return PQresultErrorField(result, Int32(byte)).map { String(cString: $0) }
    }

    /// The classes of errors are those of PostgreSQL's documentation, appendix A.
    private static func meaning(of state: String) -> (PostgresStorageError.Code, String) {
        switch state {
        case "25006": (.readOnly, "It cannot be written: let the connection string name the primary.")
        case "53100": (.diskFull, "Nothing was changed. Free space on the database's disk.")
        case "23503": (.keyRetired, "The key of this process was retired: start it with the present key.")
        case "42501": (.notAuthorized, "Give the role the privileges that the documentation names.")
        case "42P01", "42703", "3F000":
            (.damaged, "The tables are not those of a token storage: check the schema.")
        case "57014", "57P01", "57P02", "57P03", "57P05", "55P03", "40001", "40P01", "25P03":
            (.unavailable, "Try again.")
        case _ where state.hasPrefix("08") || state.hasPrefix("53") || state.hasPrefix("58"):
            (.unavailable, "Try again.")
        case _ where state.hasPrefix("28"): (.notAuthorized, "Check user, password and pg_hba.conf.")
        case _ where state.hasPrefix("XX"): (.damaged, "The database is damaged: restore it.")
        default: (.failed, "Nothing was changed.")
        }
    }

    /// The error of a connection that was not established. libpq has a text for it and no code.
    static func connectionError(_ handle: OpaquePointer, place: String) -> PostgresStorageError {
        connectionError(PQerrorMessage(handle).map { String(cString: $0) } ?? "", place: place)
    }

    static func connectionError(_ text: String, place: String) -> PostgresStorageError {
        let shown = TerminalText.sanitise(text.replacing("\n", with: " "), limit: 300)
        let untrusted = [
            "certificate verify failed", "server certificate for", "root certificate file", "does not support SSL",
        ]
        let refused = [
            "password authentication failed", "pg_hba.conf", "no password supplied", "role \"", "peer authentication",
        ]
        if untrusted.contains(where: text.contains) {
            return PostgresStorageError(
                .untrusted, "The database \(place) is not trusted: \(shown) Check host and sslrootcert.")
        }
        // A limit of connections may name the role.
        let isCrowded = text.contains("too many connections") || text.contains("connection slots")
        if !isCrowded, refused.contains(where: text.contains) {
            return PostgresStorageError(
                .notAuthorized,
                "The database \(place) refuses the login: \(shown) Check user, password and pg_hba.conf.")
        }
        return PostgresStorageError(.unavailable, "The database \(place) cannot be reached: \(shown)")
    }
}
#endif
