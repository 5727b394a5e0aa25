package import HTTPTypes
import HttpConvFormats

extension HTTPFields {
    /// `Content-Length` (RFC 9110 §8.6); nil without it, and if it is invalid.
    package var announcedLength: Int? { value(of: .contentLength).flatMap { PeerNumber.integer($0, in: 0...Int.max) } }

    /// The value of a field; several fields with this name are joined into one list. Several times as fast as the
    /// subscript.
    package func value(of name: HTTPField.Name) -> String? {
        guard let index = index(of: name, from: startIndex) else { return nil }
        return self.index(of: name, from: index + 1) == nil ? self[index].value : self[name]
    }

    /// Whether there is a field with the name. Faster than `contains`.
    package func has(_ name: HTTPField.Name) -> Bool { index(of: name, from: startIndex) != nil }

    /// Whether there is a field with one of two names, in one pass.
    package func has(_ name: HTTPField.Name, or other: HTTPField.Name) -> Bool {
        let (count, otherCount) = (name.canonicalName.utf8.count, other.canonicalName.utf8.count)
        for field in self {
            let found = field.name.canonicalName
            if found.utf8.count == count, found == name.canonicalName { return true }
            if found.utf8.count == otherCount, found == other.canonicalName { return true }
        }
        return false
    }

    /// Compares lengths first: comparing texts of more than 15 bytes is a call.
    private func index(of name: HTTPField.Name, from start: Int) -> Int? {
        let count = name.canonicalName.utf8.count
        var index = start
        while index < endIndex {
            let other = self[index].name.canonicalName
            if other.utf8.count == count, other == name.canonicalName { return index }
            index += 1
        }
        return nil
    }
}
