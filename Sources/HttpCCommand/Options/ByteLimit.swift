import ArgumentParser

/// A limit in bytes as curl takes it: `500`, `200K`, `3m`, `1G`; the units are powers of 1024.
struct ByteLimit: ExpressibleByArgument, Equatable, Sendable {
    let bytes: Int

    /// Nil for what is no such number, or too large for one.
    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = Self.units[argument.dropFirst(digits.count).lowercased()] else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit)
        guard !overflows else { return nil }
        bytes = product
    }

    private static let units = ["": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
}
