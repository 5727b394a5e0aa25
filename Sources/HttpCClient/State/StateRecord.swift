import HttpC
import HttpConvPlatform
import HttpConvVault

/// A value in a profile's vault, as JSON in a separate record.
struct StateRecord<Value: Codable & Sendable>: Sendable {
    /// The key of the record.
    let name: String
    /// The value without a record.
    let empty: Value
    /// Whether an unreadable record counts as missing and is replaced. Otherwise it is an error.
    let isDispensable: Bool

    private static var collection: String { "httpc" }

    /// The stored value.
    func value(in vault: DataVault) async throws -> Value {
        let read: Result<DataVaultRecord?, any Error>
        do { read = .success(try await vault.read(name, in: Self.collection)) } catch { read = .failure(error) }
        return try value(of: read)
    }

    /// The stored value in a transaction.
    func value(in transaction: DataVaultTransaction) throws -> Value {
        try value(of: Result { try transaction.read(name, in: Self.collection) })
    }

    /// Replaces the stored value.
    func set(_ value: Value, in transaction: DataVaultTransaction) throws {
        guard let bytes = try? JSONEncoder().encode(value) else {
            throw DataVaultError(.invalidArgument, "The profile's record of \(name) cannot be written as JSON.")
        }
        try transaction.write(Array(bytes), for: name, in: Self.collection)
    }

    /// Removes the record, readable or not.
    package func clear(in vault: DataVault) async throws { try await vault.delete(name, in: Self.collection) }

    /// Removes the record in a transaction.
    func clear(in transaction: DataVaultTransaction) throws { try transaction.delete(name, in: Self.collection) }

    private func value(of read: Result<DataVaultRecord?, any Error>) throws -> Value {
        switch read {
        case .success(nil): return empty
        case .success(let record?):
            if let value = try? JSONDecoder().decode(Value.self, from: Data(record.value)) { return value }
            if isDispensable { return empty }
            // The decoder's error may quote the record.
            throw DataVaultError(.damaged, "This version cannot read the record of the \(name).")
        case .failure(let error as DataVaultError) where error.code == .damaged && isDispensable: return empty
        case .failure(let error): throw error
        }
    }
}

/// The records of a profile's vault.
enum StateRecords {
    static let cookies = StateRecord(name: "cookies", empty: CookieStore.Snapshot(), isDispensable: false)
    /// A random number of the last removal of the cookies; 0 if there was none. By it, the processes that have loaded the
    /// cookies before notice that they were removed.
    static let cookieRemoval = StateRecord(name: "cookie removal", empty: UInt64(0), isDispensable: true)
    /// The end of each page's last login. Without it, one more login is needed.
    static let webLogins = StateRecord(name: "web logins", empty: [String: WebLoginEnd](), isDispensable: true)
    /// The sessions at identity providers. Without them, one more question is asked.
    static let singleSignOn = StateRecord(
        name: "single sign-on", empty: SingleSignOnSessions(), isDispensable: true)
    /// The time step of the last code, by the hash of its secret. Without it a server refuses a code.
    static let usedCodes = StateRecord(name: "used one-time codes", empty: [String: UInt64](), isDispensable: true)
    /// The pin of the accepted key, by origin. Not dispensable: a changed key must be noticed.
    static let knownServers = StateRecord(name: "known servers", empty: [String: String](), isDispensable: false)
}

/// The end of a page's last login, so that one login is enough for all processes of a profile.
struct WebLoginEnd: Codable, Equatable, Sendable {
    /// The number of logins so far.
    var count = 0
    /// The page's message when it refused prepared answers; nil after a success.
    var refusal: String?
}
