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
