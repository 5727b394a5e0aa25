package import HTTPTypes
import HttpConvFormats

extension HTTPFields {
    /// `Content-Length` (RFC 9110 §8.6); nil without it, and if it is invalid.
    package var announcedLength: Int? { value(of: .contentLength).flatMap { PeerNumber.integer($0, in: 0...Int.max) } }

    /// The value of a field; several fields with the name are one list. The subscript does the same, and takes several
    /// times as long.
    package func value(of name: HTTPField.Name) -> String? {
        guard let index = firstIndex(where: { $0.name == name }) else { return nil }
        return self[(index + 1)...].contains { $0.name == name } ? self[name] : self[index].value
    }
}
