package import HttpConvPlatform

/// Reads values from OData's texts. A value is exact or nil: nothing is rounded.
package enum EdmText {
    /// A decimal number with at most 38 digits and an exponent that fits a `Decimal`.
    package static func decimal(_ bytes: some Sequence<UInt8>) -> Decimal? {
        var number = DecimalDigits()
        var exponent: [UInt8]?
        for (index, byte) in bytes.enumerated() {
            if exponent != nil {
                exponent?.append(byte)
                if (exponent?.count ?? 0) > 6 { return nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "-") where index == 0: number.isNegative = true
            case UInt8(ascii: "+") where index == 0: continue
            case UInt8(ascii: ".") where !number.isFraction: number.isFraction = true
            case UInt8(ascii: "e") where number.hasDigits, UInt8(ascii: "E") where number.hasDigits: exponent = []
            case 0x30...0x39: guard number.append(byte - 0x30) else { return nil }
            default: return nil
            }
        }
        guard let exponent else { return number.value(exponent: 0) }
        return PeerNumber.integer(
            exponent.first == UInt8(ascii: "+") ? exponent.dropFirst() : exponent[...], as: Int.self
        ).flatMap { number.value(exponent: $0) }
    }

    /// A number of JSON, `INF`, `-INF` or `NaN`.
    package static func double(_ bytes: ArraySlice<UInt8>) -> Double? {
        if let exact = shortDouble(bytes) { return exact }
        let text = String(decoding: bytes, as: UTF8.self)
        switch text {
        case "INF": return .infinity
        case "-INF": return -.infinity
        case "NaN": return .nan
        default:
            return PeerNumber.decimal(text)
        }
    }

    /// A number whose digits and power of ten are exact as doubles: their quotient is correctly rounded (Clinger 1990).
    private static func shortDouble(_ bytes: ArraySlice<UInt8>) -> Double? {
        var digits: UInt64 = 0
        var count = 0
        var scale = -1
        var isNegative = false
        for (index, byte) in bytes.enumerated() {
            let digit = byte &- 0x30
            if digit < 10 {
                digits = digits * 10 + UInt64(digit)
                count += 1
                if count > 15 { return nil }
                if scale >= 0 { scale += 1 }
            } else if byte == UInt8(ascii: "."), scale < 0 {
                scale = 0
            } else if byte == UInt8(ascii: "-"), index == 0 {
                isNegative = true
            } else {
                return nil
            }
        }
        guard count > 0 else { return nil }
        let value = scale > 0 ? Double(digits) / powersOfTen[scale] : Double(digits)
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// A GUID of 32 hexadecimal digits in five groups.
    package static func guid(_ bytes: ArraySlice<UInt8>) -> UUID? {
        guard bytes.count == 36 else { return nil }
        return UUID(uuidString: String(decoding: bytes, as: UTF8.self))
    }

    /// Base64, or base64url; padding may be missing (RFC 4648 §4 and §5).
    package static func binary(_ text: String) -> Data? {
        var bytes = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        guard bytes.count % 4 != 1 else { return nil }
        bytes += repeatElement(UInt8(ascii: "="), count: (4 - bytes.count % 4) % 4)
        return Data(base64Encoded: Data(bytes))
    }
}

/// The digits of a decimal number, collected one by one.
private struct DecimalDigits {
    var isNegative = false
    /// Whether the digits that follow stand behind the point.
    var isFraction = false
    private(set) var hasDigits = false
    /// The number of significant digits. The first 18 are in `small`, the others in `large`.
    private var count = 0
    private var small: UInt64 = 0
    private var large: [UInt8] = []
    /// The zeros behind the last significant digit. They count only if another digit follows.
    private var zeros = 0
    /// The number of digits behind the point.
    private var scale = 0

    /// Returns false if there are more digits than a `Decimal` holds.
    mutating func append(_ last: UInt8) -> Bool {
        hasDigits = true
        if isFraction { scale += 1 }
        if scale > 1000 { return false }
        guard last > 0 else {
            // Leading zeros never count.
            if count > 0 { zeros += 1 }
            return zeros <= 200
        }
        for digit in repeatElement(0 as UInt8, count: zeros) + [last] {
            count += 1
            if count > 38 { return false }
            if count <= 18 { small = small * 10 + UInt64(digit) } else { large.append(digit) }
        }
        zeros = 0
        return true
    }

    /// Returns nil without digits, and if a `Decimal` cannot hold the number.
    func value(exponent: Int) -> Decimal? {
        guard hasDigits else { return nil }
        guard count > 0 else { return 0 }
        let power = exponent + zeros - scale
        guard (-127...127).contains(power) else { return nil }
        var result = Decimal(small)
        for digit in large { result = result * 10 + Decimal(Int(digit)) }
        if power != 0 { result = Decimal(sign: .plus, exponent: power, significand: result) }
        return isNegative ? -result : result
    }
}
