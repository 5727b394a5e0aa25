/// A JSON document: its bytes, and the tokens in them. Strings and numbers are made on demand.
///
/// One document is used for row after row, so that reading takes no more memory than the largest row.
package final class JSONDocument {
    package private(set) var bytes: [UInt8] = []
    package private(set) var tokens: [JSONToken] = []
    private let limits: JSONLimits
    /// The member where a look-up begins: members are mostly read in their order.
    private var expected = (object: -1, token: 0)
    /// The members of large objects by name, for look-ups in any order.
    private var indexes: [Int: [[UInt8]: Int]] = [:]
    private static let largeObject = 32

    package init(limits: JSONLimits = JSONLimits()) { self.limits = limits }

    /// Reads a document.
    package convenience init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(FormatFailure) {
        self.init(limits: limits)
        self.bytes = bytes
        try parse()
    }

    /// Reads another document in place of this one.
    package func read(_ source: ArraySlice<UInt8>) throws(FormatFailure) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
        bytes.append(contentsOf: source)
        try parse()
    }

    private func parse() throws(FormatFailure) {
        tokens.removeAll(keepingCapacity: tokens.capacity <= 1 << 16)
        expected = (-1, 0)
        indexes.removeAll()
        let limits = limits
        let result = bytes.withUnsafeBufferPointer { bytes -> Result<Void, FormatFailure> in
            do throws(FormatFailure) {
                return .success(try JSONParser.parse(bytes, into: &tokens, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    package var root: JSONElement { JSONElement(document: self, index: 0) }

    /// The text of a string, or of a number as it is written.
    package func text(of index: Int) throws(FormatFailure) -> String {
        let token = tokens[index]
        let text = bytes.withUnsafeBufferPointer { bytes -> String? in
            let part = UnsafeBufferPointer(rebasing: bytes[token.range])
            if token.isEscaped { return String(validating: JSONText.unescaped(part), as: UTF8.self) }
            return String(validating: part, as: UTF8.self)
        }
        guard let text else { throw FormatFailure("a text in it is not UTF-8", offset: Int(token.start)) }
        return text
    }

    /// The bytes of a value as written, without quotes.
    package func raw(of index: Int) -> ArraySlice<UInt8> { bytes[tokens[index].range] }

    /// Whether the name or text equals this one.
    package func isText(_ index: Int, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isText(index, $0) }
    }

    private func isText(_ index: Int, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let token = tokens[index]
        return bytes.withUnsafeBufferPointer { bytes in
            let part = UnsafeBufferPointer(rebasing: bytes[token.range])
            if token.isEscaped { return JSONText.unescaped(part).elementsEqual(wanted) }
            guard part.count == wanted.count else { return false }
            for index in 0..<part.count where part[index] != wanted[index] { return false }
            return true
        }
    }

    /// The token of an object's member.
    package func member(_ name: String, of object: Int) -> Int? {
        if let index = indexes[object] { return index[Array(name.utf8)] }
        let end = Int(tokens[object].next)
        let start = expected.object == object ? expected.token : object + 1
        var name = name
        var left = Self.largeObject
        let found = name.withUTF8 { name in
            find(name, from: start, to: end, object, &left)
                ?? find(name, from: object + 1, to: start, object, &left)
        }
        return left > 0 ? found : index(object)[Array(name.utf8)]
    }

    /// - Parameter left: the number of members still to look at; 0 after giving up
    private func find(
        _ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ object: Int, _ left: inout Int
    ) -> Int? {
        var index = start
        while index < end, left > 0 {
            if isText(index, name) {
                // Callers often look the same member up twice: for its presence, and for its value.
                expected = (object, index)
                return index + 1
            }
            index = Int(tokens[index + 1].next)
            left -= 1
        }
        return nil
    }

    /// The values of an object's members by the bytes of their names. The first of duplicate names counts.
    private func index(_ object: Int) -> [[UInt8]: Int] {
        var members: [[UInt8]: Int] = [:]
        var index = object + 1
        while index < Int(tokens[object].next) {
            let name = bytes.withUnsafeBufferPointer { bytes in
                let part = UnsafeBufferPointer(rebasing: bytes[tokens[index].range])
                return tokens[index].isEscaped ? JSONText.unescaped(part) : Array(part)
            }
            if members[name] == nil { members[name] = index + 1 }
            index = Int(tokens[index + 1].next)
        }
        indexes[object] = members
        return members
    }
}
