#if PostgreSQL
internal import CPostgreSQL
internal import HttpConvFormats
internal import HttpConvPlatform

/// A checked connection string: the keywords and values for libpq.
struct ConnectionParameters: Sendable {
    private(set) var values: [(keyword: String, value: String)] = []

    /// The values that a connection string cannot change, because others weaken the protection of the connection.
    private static let fixed = ["sslmode": "verify-full", "gssencmode": "disable"]
    private static let defaults = [
        "application_name": "httpconversation", "keepalives_idle": "10", "keepalives_interval": "5",
        "keepalives_count": "3", "ssl_min_protocol_version": "TLSv1.2", "client_encoding": "UTF8",
    ]

    init(_ configuration: PostgresConfiguration) throws(PostgresStorageError) {
        var given = try Self.parse(configuration.connection)
        for (keyword, value) in Self.fixed {
            guard [nil, value].contains(given[keyword]) else {
                throw PostgresStorageError(
                    .invalidConfiguration,
                    "The connection string has another \(keyword) than \(value). Remove it: the database's certificate is always verified."
                )
            }
            given[keyword] = value
        }
        given.merge(Self.defaults) { given, _ in given }
        given["connect_timeout"] = "\(Self.connectTimeout(given["connect_timeout"], configuration))"
        values = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The timeout for connecting to one address, in seconds: the connection string's if it is shorter than the
    /// configuration's. libpq treats 1 as 2, and 0 as no limit.
    private static func connectTimeout(_ given: String?, _ configuration: PostgresConfiguration) -> Int64 {
        // libpq counts the milliseconds in 32 bits.
        let limit = min(configuration.timeout.wholeSeconds, 86400)
        return given.flatMap { PeerNumber.integer($0.utf8, in: 1...limit) } ?? limit
    }

    /// The texts of libpq are left out: they quote parts of the string, such as a password.
    private static func parse(_ text: String) throws(PostgresStorageError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options, !text.utf8.contains(0) else {
            throw PostgresStorageError(
                .invalidConfiguration,
                "The connection string of the database is malformed. Compare it with libpq's documentation.")
        }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return found
    }

    /// Calls a function with the arrays that libpq expects, which end with nil.
    func withArrays<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result? {
        let keywords = values.map { strdup($0.keyword) }
        let texts = values.map { strdup($0.value) }
        defer {
            for text in texts {
                // Overwritten, because it may be the password.
                if let text { memset(text, 0, strlen(text)) }
                free(text)
            }
            for keyword in keywords { free(keyword) }
        }
        let keywordPointers = keywords.map { UnsafePointer($0) } + [nil]
        let textPointers = texts.map { UnsafePointer($0) } + [nil]
        return keywordPointers.withUnsafeBufferPointer { keywords in
            textPointers.withUnsafeBufferPointer { texts in
                guard let keywords = keywords.baseAddress, let texts = texts.baseAddress else { return nil }
                return body(keywords, texts)
            }
        }
    }
}

extension Duration {
    /// Whole seconds, at least one.
    var wholeSeconds: Int64 { max(1, components.seconds) }
}
#endif
