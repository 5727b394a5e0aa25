import DataVault
import Foundation
import HttpC

/// One thing that a profile's vault keeps, as JSON in a record of its own.
struct StateRecord<Value: Codable & Sendable>: Sendable {
    /// The key of the record.
    let name: String
    /// The value where there is no record.
    let empty: Value
    /// Whether a record that cannot be read is as good as none, rather than a failure: it is written anew.
    let isDispensable: Bool

    private static var collection: String { "httpc" }

    /// What is kept now.
    func value(in vault: DataVault) async throws -> Value {
        let read: Result<DataVaultRecord?, any Error>
        do { read = .success(try await vault.read(name, in: Self.collection)) } catch { read = .failure(error) }
        return try value(of: read)
    }

    /// What is kept at the moment of a transaction.
    func value(in transaction: DataVaultTransaction) throws -> Value {
        try value(of: Result { try transaction.read(name, in: Self.collection) })
    }

    /// Puts a value in place of what is kept.
    func set(_ value: Value, in transaction: DataVaultTransaction) throws {
        guard let bytes = try? JSONEncoder().encode(value) else {
            throw DataVaultError(.invalidArgument, "What the profile keeps of \(name) cannot be written as JSON.")
        }
        try transaction.write(Array(bytes), for: name, in: Self.collection)
    }

    /// Forgets it, readable or not.
    func clear(in vault: DataVault) async throws { try await vault.delete(name, in: Self.collection) }

    private func value(of read: Result<DataVaultRecord?, any Error>) throws -> Value {
        switch read {
        case .success(nil): return empty
        case .success(let record?):
            if let value = try? JSONDecoder().decode(Value.self, from: Data(record.value)) { return value }
            if isDispensable { return empty }
            // The decoder's own error may quote what it read.
            throw DataVaultError(.damaged, "The record of the \(name) is none that this version can read.")
        case .failure(let error as DataVaultError) where error.code == .damaged && isDispensable: return empty
        case .failure(let error): throw error
        }
    }
}

/// What there are records of.
enum StateRecords {
    static let cookies = StateRecord(name: "cookies", empty: CookieStore.Snapshot(), isDispensable: false)
    /// How the last login of each page ended. Without it one login more is made.
    static let webLogins = StateRecord(name: "web logins", empty: [String: WebLoginEnd](), isDispensable: true)
    /// The time step of the last code, by the hash of its secret. Without it a server refuses a code.
    static let usedCodes = StateRecord(name: "used one-time codes", empty: [String: UInt64](), isDispensable: true)
    /// The pin of the key that a person has accepted, by origin. Not dispensable: a changed key is to be seen as one.
    static let knownServers = StateRecord(name: "known servers", empty: [String: String](), isDispensable: false)
}
