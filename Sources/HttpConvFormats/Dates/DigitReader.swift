/// Reads dates and times digit by digit.
package struct DigitReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads exactly that many digits.
    package mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        let number = PeerNumber.integer(rest.prefix(digits), as: Int.self)
        guard let number, number >= 0, rest.first != UInt8(ascii: "-") else { return nil }
        rest.removeFirst(digits)
        return number
    }

    /// Reads as many digits as an `Int64` can hold.
    package mutating func number() -> Int64? {
        let digits = rest.prefix { $0 &- 0x30 < 10 }
        guard let number = PeerNumber.integer(digits, as: Int64.self) else { return nil }
        rest.removeFirst(digits.count)
        return number
    }

    /// Reads the digits after a decimal point, in units of 10 to the power of minus `digits`. Further digits are cut
    /// off.
    package mutating func fraction(digits: Int) -> Int64? {
        let found = rest.prefix { $0 &- 0x30 < 10 }
        guard !found.isEmpty, found.count <= 18 else { return nil }
        rest.removeFirst(found.count)
        var result: Int64 = 0
        var count = 0
        for digit in found.prefix(digits) {
            result = result * 10 + Int64(digit &- 0x30)
            count += 1
        }
        while count < digits {
            result *= 10
            count += 1
        }
        return result
    }

    /// Reads `06:10`, `06:10:33` or `06:10:33.406`. A fraction has at most twelve digits, of which nine are kept.
    package mutating func timeOfDay() -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hour = number(digits: 2), hour < 24, take(":"), let minute = number(digits: 2), minute < 60 else {
            return nil
        }
        var seconds = 0
        var nanoseconds: Int64 = 0
        if take(":") {
            guard let found = number(digits: 2), found < 60 else { return nil }
            seconds = found
            if take(".") {
                guard let fraction = fraction(digits: 9) else { return nil }
                nanoseconds = fraction
            }
        }
        return (Int64(hour * 3600 + minute * 60 + seconds), Int32(nanoseconds))
    }

    /// Reads `Z`, `+01:00` or `-0330` as minutes. Returns `.some(nil)` for no zone, and nil for anything else.
    package mutating func zone() -> Int?? {
        if isAtEnd { return .some(nil) }
        if take("Z") || take("z") { return isAtEnd ? 0 : nil }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(digits: 2) else { return nil }
        _ = take(":")
        guard let minutes = number(digits: 2), isAtEnd, hours <= 14, minutes < 60 else { return nil }
        return .some((isEast ? 1 : -1) * (hours * 60 + minutes))
    }
}
