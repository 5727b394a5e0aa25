import HttpConvFormats
import HttpConvPlatform

/// Dates in the service's formats.
enum ServiceDate {
    /// Reads `/Date(1484028633406)/`: milliseconds since 1970. An offset in minutes may follow and changes nothing.
    static func fromJSON(_ text: String) -> Date? {
        text.utf8.first == UInt8(ascii: "/") ? Timestamp(Array(text.utf8)[...])?.date : nil
    }

    static func json(_ date: Date) -> String { "/Date(\(Timestamp(date)?.milliseconds ?? 0))/" }

    /// Reads `2017-01-10T06:10:33.406`, in UTC unless a zone follows.
    static func fromAtom(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        return bytes.count >= 19 && bytes.first != UInt8(ascii: "/") ? Timestamp(bytes[...])?.date : nil
    }

    static func atom(_ date: Date) -> String { (Timestamp(date) ?? Timestamp(seconds: 0)).calendarText }
}
