/// Reads columns without trusting their types: the file may not be ours.
struct StoredRow {
    let values: [SQLiteValue]

    init(_ values: [SQLiteValue]) { self.values = values }

    func number(_ index: Int) throws(DataVaultError) -> Int64 {
        guard case .number(let number) = try value(index) else { throw Self.unexpected }
        return number
    }

    func bytes(_ index: Int) throws(DataVaultError) -> [UInt8] {
        guard case .bytes(let bytes) = try value(index) else { throw Self.unexpected }
        return bytes
    }

    func bytesIfPresent(_ index: Int) throws(DataVaultError) -> [UInt8]? {
        isNull(index) ? nil : try bytes(index)
    }

    func text(_ index: Int) throws(DataVaultError) -> String {
        guard case .text(let text) = try value(index) else { throw Self.unexpected }
        return text
    }

    func isNull(_ index: Int) -> Bool { index < values.count && values[index] == .null }

    private func value(_ index: Int) throws(DataVaultError) -> SQLiteValue {
        guard index < values.count else { throw Self.unexpected }
        return values[index]
    }

    private static var unexpected: DataVaultError {
        DataVaultError(.damaged, "The vault is damaged: a row is not of the form it was written in.")
    }
}
