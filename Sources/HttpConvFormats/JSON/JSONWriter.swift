/// Writes JSON without whitespace. The caller opens and closes objects and arrays in the right order.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var isFirst = true

    package init() {}

    package mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        isFirst = true
    }

    package mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        isFirst = false
    }

    package mutating func name(_ name: String) {
        separate()
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        isFirst = true
    }

    package mutating func text(_ text: String) {
        separate()
        JSONText.append(text, to: &bytes)
    }

    /// Appends finished JSON: a number, a word or a whole value.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes += json
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}
