package import HttpConvPlatform

/// Numbers, times and lengths from a peer or a file.
///
/// Each is read into a range that the caller gives, so that later arithmetic cannot trap (security rule S29). A value
/// out of range is refused (nil) or moved to the nearer bound (`clamping`), as the caller chooses.
/// `scripts/check-numbers` refuses other conversions.
package enum PeerNumber {
    /// A whole number in decimal digits, with a minus sign if the range has negative numbers.
    ///
    /// - Returns: nil for anything else, and for numbers out of the range
    @inlinable
    package static func integer<Number: FixedWidthInteger>(
        _ digits: some Sequence<UInt8>, in range: ClosedRange<Number>
    ) -> Number? {
        var result: Number = 0
        var isNegative = false
        var count = 0
        for byte in digits {
            if count == 0, byte == 0x2D, !isNegative, range.lowerBound < 0 {
                isNegative = true
                continue
            }
            let digit = byte &- 0x30
            guard digit < 10 else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            // Accumulates with the sign, because the least number has no positive counterpart.
            let (sum, overflow2) =
                isNegative
                ? product.subtractingReportingOverflow(Number(truncatingIfNeeded: digit))
                : product.addingReportingOverflow(Number(truncatingIfNeeded: digit))
            if overflow || overflow2 { return nil }
            result = sum
            count += 1
        }
        return count > 0 && range.contains(result) ? result : nil
    }

    /// A whole number in a text, by the same rules.
    @inlinable
    package static func integer<Number: FixedWidthInteger>(
        _ text: some StringProtocol, in range: ClosedRange<Number>
    ) -> Number? {
        integer(text.utf8, in: range)
    }

    /// A whole number in a text. Not generic, so that the compiler makes its code here, once.
    package static func integer(_ text: Substring, in range: ClosedRange<Int>) -> Int? { integer(text.utf8, in: range) }

    /// A whole number in a text. Not generic, so that the compiler makes its code here, once.
    package static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? { integer(text.utf8, in: range) }

    /// A whole number in digits in memory. Not generic, so that the compiler makes its code here, once.
    package static func integer(_ digits: UnsafeRawBufferPointer, in range: ClosedRange<Int>) -> Int? {
        integer(digits[...], in: range)
    }

    /// A whole number that may be any number of its type, by the same rules.
    @inlinable
    package static func integer<Number: FixedWidthInteger>(
        _ digits: some Sequence<UInt8>, as type: Number.Type
    ) -> Number? {
        integer(digits, in: Number.min...Number.max)
    }

    /// A non-negative whole number in decimal digits, limited to a bound however many digits it has; nil for anything
    /// else.
    @inlinable
    package static func integer(_ text: some StringProtocol, clampingTo bound: Int) -> Int? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return min(integer(digits, in: 0...Int.max) ?? bound, bound)
    }

    /// The whole part of a number, moved to the nearer bound; nil for NaN.
    package static func integer(_ number: Double, clampingTo range: ClosedRange<Int>) -> Int? {
        guard !number.isNaN else { return nil }
        if let exact = Int(exactly: number.rounded(.towardZero)) {
            return min(max(exact, range.lowerBound), range.upperBound)
        }
        return number < 0 ? range.lowerBound : range.upperBound
    }

    /// A finite number in decimal digits, with an optional fraction and exponent; nil for anything else.
    ///
    /// Swift's own parser would also accept hexadecimal numbers, infinities and `nan`.
    @inlinable
    package static func decimal(_ text: some StringProtocol) -> Double? {
        guard (1...400).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }

    /// A duration in seconds, moved to the nearer bound; nil for NaN.
    package static func seconds(_ seconds: Double, clampingTo range: ClosedRange<Duration>) -> Duration? {
        guard !seconds.isNaN else { return nil }
        // Beyond these seconds `Duration` itself traps. The caller's range limits the rest.
        let bounded = Duration.seconds(min(max(seconds, -1e15), 1e15))
        return min(max(bounded, range.lowerBound), range.upperBound)
    }

    /// A point in time within the years 1 to 9999; nil if out of range.
    package static func date(secondsSince1970 seconds: Double) -> Date? {
        (-62_135_596_800...253_402_300_799).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
    }
}
