/// Times of a day as texts.
package enum ClockText {
    /// `06:10:33.406`; a fraction of zero is left out.
    package static func text(seconds: Int, nanoseconds: Int32) -> String {
        "\(pad(seconds / 3600)):\(pad(seconds / 60 % 60)):\(pad(seconds % 60))\(fraction(nanoseconds.magnitude, digits: 9))"
    }

    /// `.406`, without zeros at the end; empty for zero.
    package static func fraction(_ value: some UnsignedInteger, digits: Int) -> String {
        guard value != 0 else { return "" }
        var text = String(value).zeroPadded(to: digits)
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return "." + text
    }

    package static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
