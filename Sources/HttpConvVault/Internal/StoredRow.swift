internal import Foundation
internal import GRDB

/// Reads columns without trusting their types: the file may not be ours.
struct StoredRow {
    private let row: Row

    init(_ row: Row) { self.row = row }

    func number(_ index: Int) throws(DataVaultError) -> Int64 {
        guard case .int64(let number) = try value(index) else { throw Self.unexpected }
        return number
    }

    func bytes(_ index: Int) throws(DataVaultError) -> [UInt8] {
        guard case .blob(let data) = try value(index) else { throw Self.unexpected }
        return Array(data)
    }

    func bytesIfPresent(_ index: Int) throws(DataVaultError) -> [UInt8]? {
        if case .null = try value(index) { return nil }
        return try bytes(index)
    }

    func text(_ index: Int) throws(DataVaultError) -> String {
        guard case .string(let text) = try value(index) else { throw Self.unexpected }
        return text
    }

    private func value(_ index: Int) throws(DataVaultError) -> DatabaseValue.Storage {
        guard index < row.count else { throw Self.unexpected }
        return (row[index] as DatabaseValue).storage
    }

    private static var unexpected: DataVaultError {
        DataVaultError(.damaged, "The vault is damaged: a row is not of the form it was written in.")
    }
}
