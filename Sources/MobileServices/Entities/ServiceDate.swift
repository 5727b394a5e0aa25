import Foundation

/// Dates as the service's formats write them.
enum ServiceDate {
    /// `/Date(1484028633406)/`: milliseconds since 1970, perhaps with minutes of an offset that only says how to show it.
    static func fromJSON(_ text: String) -> Date? {
        guard text.utf8.count < 48, text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
        let inner = text.dropFirst(6).dropLast(2)
        let sign = inner.dropFirst().firstIndex { $0 == "+" || $0 == "-" } ?? inner.endIndex
        return Int64(inner[..<sign]).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    static func json(_ date: Date) -> String {
        "/Date(\(Int64(clamping: Int(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0)))/"
    }

    /// `2017-01-10T06:10:33.406`, in UTC unless a zone follows.
    static func fromAtom(_ text: String) -> Date? {
        guard text.utf8.count < 48, text.utf8.count >= 19 else { return nil }
        let seconds = text.prefix(19)
        var rest = text.dropFirst(19)
        var fraction = 0.0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            fraction = Double("0.\(digits)") ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        let zone = rest.isEmpty ? "Z" : String(rest)
        guard let date = try? Date("\(seconds)\(zone)", strategy: .iso8601) else { return nil }
        return date.addingTimeInterval(fraction)
    }

    static func atom(_ date: Date) -> String {
        let milliseconds = Int(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
        let whole = Date(timeIntervalSince1970: Double(milliseconds / 1000))
        let fraction = String(format: "%03d", abs(milliseconds % 1000))
        return whole.formatted(.iso8601).dropLast() + ".\(fraction)"
    }
}
